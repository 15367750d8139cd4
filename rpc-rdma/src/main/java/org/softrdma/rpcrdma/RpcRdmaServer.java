// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.softrdma.rpcrdma.machine.TransportCounters;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * Server of RPC-over-RDMA version 1: takes connections by address and passes their calls to an {@link RpcService}. The clients may be
 * Linux's NFS client or any other program of the protocol, over any device.
 *
 * <p>A client that cannot take RDMA READs of its memory is refused, as Linux's nfsd does: the server could not fetch its calls.
 */
public final class RpcRdmaServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RpcRdmaServer.class.getName());
    private static final long CLOSE_SECONDS = 5;

    private final RpcService service;
    private final ServerOptions options;
    private final TransportCounters counters = new TransportCounters();
    private final EventChannel channel;
    private final List<CmId> listeners = new ArrayList<>();
    private final Map<CmId, ServerConnection> connections = new HashMap<>();
    /** Frees what must not be freed by the thread that uses it. */
    private final ExecutorService janitor =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("rpc-rdma-janitor").factory());
    private final Thread thread;
    private boolean closed;
    private volatile boolean over;

    private RpcRdmaServer(RpcService service, ServerOptions options, List<InetSocketAddress> addresses) {
        this.service = service;
        this.options = options;
        ConnectionManager manager = ConnectionManager.get();
        channel = manager.createEventChannel();
        try {
            for (InetSocketAddress each : addresses) {
                CmId listener = manager.createId(channel, null, PortSpace.TCP);
                listeners.add(listener);
                listener.familyOnly(each.getAddress() instanceof Inet6Address);
                listener.bind(each);
                listener.listen(0);
            }
        } catch (VerbsException refused) {
            listeners.forEach(CmId::close);
            channel.close();
            throw refused;
        }
        thread = Thread.ofPlatform().daemon().name("rpc-rdma-events").start(this::run);
    }

    /**
     * Starts a server.
     *
     * @param addresses addresses to listen at; of the wildcard addresses, that of IPv6 means IPv6 only. Port 0 for any
     * @param options   of the server
     * @param service   executes the calls
     * @return the server, listening
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, ENODEV
     */
    public static RpcRdmaServer start(List<InetSocketAddress> addresses, ServerOptions options, RpcService service) {
        return new RpcRdmaServer(service, options, List.copyOf(addresses));
    }

    /** {@return the addresses, with the ports that were assigned} */
    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(CmId::localAddress).toList();
    }

    /** {@return counters of all connections that are not 0, by name} */
    public Map<String, Long> counters() {
        return counters.snapshot();
    }

    /** {@return the connections that are open} */
    public synchronized List<RpcConnection> connections() {
        return List.copyOf(connections.values());
    }

    RpcService service() {
        return service;
    }

    TransportCounters transportCounters() {
        return counters;
    }

    // ---- events ----

    private void run() {
        try {
            while (!over) {
                CmEvent event = channel.getEvent(-1);
                CmEventType type = event.type();
                CmId id = event.id();
                ConnectionParameters parameters = event.connection();
                // Acknowledged first: closing an identifier waits for that.
                event.ack();
                onEvent(type, id, parameters);
            }
        } catch (VerbsException interrupted) {
            if (!over || interrupted.errno() != Errno.EINTR) {
                LOG.log(System.Logger.Level.ERROR, "the server takes no more connections", interrupted);
            }
        }
    }

    private void onEvent(CmEventType type, CmId id, ConnectionParameters parameters) {
        if (type == CmEventType.CONNECT_REQUEST) {
            onRequest(id, parameters);
            return;
        }
        ServerConnection connection = find(id);
        if (connection == null) {
            return;
        }
        switch (type) {
            case ESTABLISHED -> connection.start();
            case TIMEWAIT_EXIT, ADDR_CHANGE -> {
                // Nothing depends on them.
            }
            default -> connection.disconnect();
        }
    }

    private synchronized ServerConnection find(CmId id) {
        return connections.get(id);
    }

    private void onRequest(CmId id, ConnectionParameters request) {
        if (request.initiatorDepth() == 0) {
            refuse(id, "it permits no RDMA READs");
        } else if (!hasRoom()) {
            refuse(id, "there are " + options.maxConnections() + " connections already");
        } else {
            accept(id, request);
        }
    }

    private synchronized boolean hasRoom() {
        return !closed && connections.size() < options.maxConnections();
    }

    private void accept(CmId id, ConnectionParameters request) {
        ServerConnection connection;
        try {
            connection = new ServerConnection(this, id, request, options);
        } catch (VerbsException exhausted) {
            refuse(id, exhausted.getMessage());
            return;
        }
        synchronized (this) {
            connections.put(id, connection);
        }
        try {
            id.accept(connection.accepted(request));
        } catch (VerbsException withdrawn) {
            connection.disconnect();
        }
    }

    private static void refuse(CmId id, String reason) {
        LOG.log(System.Logger.Level.WARNING, "connection request of " + id.peerAddress() + " refused: " + reason);
        try {
            id.reject(new byte[0]);
        } catch (VerbsException withdrawn) {
            // Closing the identifier ends it.
        }
        id.close();
    }

    /** Forgets a connection whose resources are free. */
    synchronized void onFreed(ServerConnection connection) {
        connections.values().remove(connection);
        notifyAll();
    }

    /** Runs a step on a thread that holds no lock and uses no connection. */
    void later(Runnable step) {
        janitor.execute(step);
    }

    /** Stops listening, ends all connections, and waits up to {@value #CLOSE_SECONDS} seconds for calls in work. */
    @Override
    public void close() {
        List<ServerConnection> open;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            open = new ArrayList<>(connections.values());
        }
        listeners.forEach(CmId::close);
        open.forEach(ServerConnection::disconnect);
        boolean ended = awaitEnd();
        over = true;
        thread.interrupt();
        if (ended) {
            janitor.shutdown();
            awaitThread();
            channel.close();
        } else {
            LOG.log(System.Logger.Level.WARNING, "calls are still in work; their memory is not freed");
        }
    }

    private void awaitThread() {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean awaitEnd() {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        try {
            while (!connections.isEmpty() && System.nanoTime() - untilNs < 0) {
                wait(20);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return connections.isEmpty();
    }
}
