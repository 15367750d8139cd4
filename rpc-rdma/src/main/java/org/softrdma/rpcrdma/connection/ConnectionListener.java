// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.connection;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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
 * The listening end of a protocol of messages: takes connection requests by address, keeps the connections that were accepted, and passes
 * their events to them. A thread of its own runs {@link Acceptor} and {@link Connection#start}; another one, the janitor, frees what must
 * not be freed by the thread that uses it.
 *
 * @param <C> the server's end of a connection
 */
public final class ConnectionListener<C extends ConnectionListener.Connection> {
    private static final System.Logger LOG = System.getLogger(ConnectionListener.class.getName());
    private static final long CLOSE_SECONDS = 5;

    private final Acceptor acceptor;
    private final int maxConnections;
    private final EventChannel channel;
    private final List<CmId> listeners = new ArrayList<>();
    private final Map<CmId, C> connections = new HashMap<>();
    private final ScheduledExecutorService janitor;
    private final Thread thread;
    private boolean closed;
    private volatile boolean over;

    /** One connection. Its owner calls {@link #onFreed} once its resources are free. */
    public interface Connection {
        /** Begins to process completions; the connection is established. */
        void start();

        /** Ends the connection, which need not have been established. */
        void end();
    }

    /** Decides about requests, on the listener's thread. */
    public interface Acceptor {
        /** Takes a request: calls {@link #accept} or {@link #refuse}. */
        void onRequest(CmId id, ConnectionParameters request);
    }

    /**
     * Listens at addresses. Requests wait until {@link #start}.
     *
     * @param name           beginning of the names of the threads
     * @param addresses      of the wildcard addresses, that of IPv6 means IPv6 only. Port 0 for any
     * @param maxConnections connections at a time at most, for {@link #hasRoom}
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, ENODEV
     */
    public ConnectionListener(String name, List<InetSocketAddress> addresses, int maxConnections, Acceptor acceptor) {
        this.acceptor = acceptor;
        this.maxConnections = maxConnections;
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
        janitor = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name(name + "-janitor").factory());
        thread = Thread.ofPlatform().daemon().name(name + "-events").unstarted(this::run);
    }

    /** Begins to take requests. */
    public void start() {
        thread.start();
    }

    /** The addresses, with the ports that were assigned. */
    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(CmId::localAddress).toList();
    }

    /** The connections that are open. */
    public synchronized List<C> connections() {
        return List.copyOf(connections.values());
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
                LOG.log(System.Logger.Level.ERROR, thread.getName() + ": no more connections are taken", interrupted);
            }
        }
    }

    private void onEvent(CmEventType type, CmId id, ConnectionParameters parameters) {
        if (type == CmEventType.CONNECT_REQUEST) {
            acceptor.onRequest(id, parameters);
            return;
        }
        C connection = find(id);
        if (connection == null) {
            return;
        }
        switch (type) {
            case ESTABLISHED -> connection.start();
            case TIMEWAIT_EXIT, ADDR_CHANGE -> {
                // Nothing depends on them.
            }
            default -> connection.end();
        }
    }

    private synchronized C find(CmId id) {
        return connections.get(id);
    }

    // ---- for the acceptor ----

    /** Whether there may be one more connection. */
    public synchronized boolean hasRoom() {
        return !closed && connections.size() < maxConnections;
    }

    /**
     * Accepts a request. If it was withdrawn, the connection is ended.
     *
     * @param connection with its queue pair
     */
    public void accept(CmId id, C connection, ConnectionParameters parameters) {
        synchronized (this) {
            connections.put(id, connection);
        }
        try {
            id.accept(parameters);
        } catch (VerbsException withdrawn) {
            connection.end();
        }
    }

    /**
     * Refuses a request and closes its identifier.
     *
     * @param reason for the log
     */
    public void refuse(CmId id, byte[] privateData, String reason) {
        LOG.log(System.Logger.Level.WARNING, "connection request of " + id.peerAddress() + " refused: " + reason);
        try {
            id.reject(privateData);
        } catch (VerbsException withdrawn) {
            // Closing the identifier ends it.
        }
        id.close();
    }

    // ---- for connections ----

    /** Runs a step on a thread that holds no lock and uses no connection. */
    public void later(Runnable step) {
        janitor.execute(step);
    }

    /** Runs a step again and again on the thread of {@link #later}. */
    public void every(long periodMs, Runnable step) {
        janitor.scheduleWithFixedDelay(step, periodMs, periodMs, TimeUnit.MILLISECONDS);
    }

    /** Forgets a connection whose resources are free. */
    public synchronized void onFreed(C connection) {
        connections.values().remove(connection);
        notifyAll();
    }

    // ---- the end ----

    /**
     * Stops listening, ends all connections, and waits up to {@value #CLOSE_SECONDS} seconds for what is in work.
     *
     * @return false if it was closed before
     */
    public boolean close() {
        List<C> open;
        synchronized (this) {
            if (closed) {
                return false;
            }
            closed = true;
            open = new ArrayList<>(connections.values());
        }
        listeners.forEach(CmId::close);
        open.forEach(Connection::end);
        boolean ended = awaitEnd();
        over = true;
        thread.interrupt();
        if (ended) {
            janitor.shutdown();
            awaitThread();
            channel.close();
        } else {
            LOG.log(System.Logger.Level.WARNING, thread.getName() + ": work is not done yet; its memory is not freed");
        }
        return true;
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
