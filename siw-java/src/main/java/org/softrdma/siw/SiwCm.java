// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.softrdma.cm.CmConnection;
import org.softrdma.cm.CmHandler;
import org.softrdma.cm.CmListener;
import org.softrdma.cm.CmService;
import org.softrdma.cm.CmTransport;
import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.qp.SiwCounter;
import org.softrdma.siw.tcp.ByteStream;
import org.softrdma.siw.tcp.TcpLink;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.PortSpace;

/**
 * Transport of an iWARP device for the connection manager: rdma_cm's ports are TCP ports, its requests and replies MPA's start-up frames.
 *
 * <p>Commands and events are processed with the owner's lock held. Sockets are opened and closed without it: TCP's thread, which does that,
 * takes the lock for each new connection.
 */
final class SiwCm implements CmTransport {
    private static final System.Logger LOG = System.getLogger(SiwCm.class.getName());

    private final RunningSiw running;
    /** Guards {@link #listeners} and {@link #link}; never taken by TCP's thread. */
    private final Object listening = new Object();
    private final Map<CmService, SiwListener> listeners = new HashMap<>();
    /** Made for the first connection or listener. */
    private TcpLink link;
    /** All connections that are not over. For the owner. */
    private final Set<SiwCmConnection> connections = new HashSet<>();
    /** Accepted connections among them whose request is not received yet. For the owner. */
    private final HalfOpen<SiwCmConnection> halfOpen = new HalfOpen<>();

    SiwCm(RunningSiw running) {
        this.running = running;
    }

    // ---- addresses ----

    @Override
    public List<InetAddress> addresses() {
        return running.netdev().addresses();
    }

    /** Whether the device has the address. The loopback interface has all of 127.0.0.0/8. */
    @Override
    public boolean has(InetAddress address) {
        NetDevice netdev = running.netdev();
        return netdev.addresses().contains(address) || netdev.loopback() && address.isLoopbackAddress();
    }

    @Override
    public InetAddress ownLoopback() {
        return null;
    }

    // ---- listening ----

    @Override
    public void listen(CmService service, CmListener listener) {
        if (service.space() != PortSpace.TCP) {
            throw new VerbsException(Errno.EOPNOTSUPP, "listen", "port space " + service.space() + "; iWARP has TCP");
        }
        synchronized (listening) {
            SiwListener begun = new SiwListener(this, link(), service, listener);
            begun.bind(addresses());
            listeners.put(service, begun);
        }
    }

    @Override
    public void relisten(CmService service) {
        synchronized (listening) {
            SiwListener known = listeners.get(service);
            if (known != null) {
                known.bind(addresses());
            }
        }
    }

    /** Adapts all listeners to the interface's addresses, which may have changed. */
    void followAddresses() {
        synchronized (listening) {
            for (SiwListener each : listeners.values()) {
                try {
                    each.bind(addresses());
                } catch (VerbsException refused) {
                    LOG.log(System.Logger.Level.DEBUG, refused.getMessage());
                }
            }
        }
    }

    @Override
    public void unlisten(CmService service) {
        synchronized (listening) {
            SiwListener known = listeners.remove(service);
            if (known != null) {
                known.close();
            }
        }
    }

    /** Handles a TCP connection that was accepted for a listener. On TCP's thread. */
    void onStream(SiwListener listener, ByteStream stream, InetSocketAddress local, InetSocketAddress remote) {
        command(nowNs -> {
            boolean crowded = !makeRoom(remote.getAddress());
            if (crowded || halfOpen.isFull() || listener.isClosed()) {
                running.engine().counters().count(crowded ? SiwCounter.CROWDED_STREAMS : SiwCounter.REFUSED_STREAMS);
                stream.abort();
                return;
            }
            SiwCmConnection connection = new SiwCmConnection(this, listener, local, remote);
            halfOpen.enter(remote.getAddress(), connection);
            connections.add(connection);
            connection.await(stream);
        });
    }

    /**
     * Makes room for another connection of an address: if its share is used up, the oldest one that has sent nothing is closed. Requests
     * that have arrived are read first.
     *
     * @return false if there is none
     */
    private boolean makeRoom(InetAddress address) {
        int share = running.options().halfOpen();
        if (halfOpen.isFull(address, share)) {
            running.engine().readStreams();
        }
        if (!halfOpen.isFull(address, share)) {
            return true;
        }
        SiwCmConnection silent = halfOpen.oldest(address, SiwCmConnection::isSilent);
        if (silent == null) {
            return false;
        }
        running.engine().counters().count(SiwCounter.CROWDED_STREAMS);
        silent.close();
        return true;
    }

    /** Accepted connections whose request is not received yet; with the owner's lock held. */
    HalfOpen<SiwCmConnection> halfOpen() {
        return halfOpen;
    }

    // ---- connections ----

    @Override
    public CmConnection open(CmHandler handler) {
        SiwCmConnection connection = new SiwCmConnection(this);
        connection.handler(handler);
        command(nowNs -> connections.add(connection));
        return connection;
    }

    /** Removes a connection that is over; with the owner's lock held. */
    void forget(SiwCmConnection connection) {
        connections.remove(connection);
    }

    /** Runs a command with the owner's lock held, at the current time. */
    void command(LongConsumer what) {
        ReentrantLock owner = running.agent().lock();
        owner.lock();
        try {
            long nowNs = running.nowNs();
            running.engine().beginVerb(nowNs);
            what.accept(nowNs);
        } finally {
            owner.unlock();
        }
        // The command may have set an earlier deadline than the one that a leader sleeps until.
        running.agent().doorbell();
    }

    /** Waits until what connections have to send is with the system, as it would be lost with the process. */
    @Override
    public void settle() {
        running.settle();
    }

    /** Closes all listeners and connections, with a rejection or the end of the stream for each peer, as the device stops. */
    void abandonAll() {
        synchronized (listening) {
            listeners.values().forEach(SiwListener::close);
            listeners.clear();
        }
        command(nowNs -> new ArrayList<>(connections).forEach(SiwCmConnection::close));
    }

    /** Stops TCP and its thread. */
    void close() {
        synchronized (listening) {
            if (link != null) {
                link.close();
            }
        }
    }

    // ---- the device ----

    TcpLink link() {
        synchronized (listening) {
            if (link == null) {
                link = running.newTcpLink();
            }
            return link;
        }
    }

    RunningSiw running() {
        return running;
    }

    SiwEngine engine() {
        return running.engine();
    }

    /**
     * Finds a queue pair that can be connected; with the owner's lock held.
     *
     * @throws VerbsException EINVAL: no queue pair has that number, or it is not in INIT
     */
    SiwQueuePair requireQp(String verb, int qpn) {
        SiwQueuePair qp = engine().find(qpn);
        if (qp == null) {
            throw new VerbsException(Errno.EINVAL, verb, "the device has no queue pair 0x" + Integer.toHexString(qpn));
        }
        qp.requireConnectable(verb);
        return qp;
    }
}
