// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import org.softrdma.rsocket.StreamLock.Goal;
import org.softrdma.rsocket.stream.ConnectionData;
import org.softrdma.rsocket.stream.StreamException;
import org.softrdma.rsocket.stream.StreamMachine;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * The connection below one {@link RSocketChannel}: how it is made, by this end or for a peer's request, and how it ends. Methods that
 * require the lock say so; the others take it.
 */
final class RSocketConnection {
    /** Wait without a limit. */
    static final long FOR_EVER = -1;

    /** How long {@link #close} waits for the peer to receive what was written. */
    private static final long LINGER_NS = 10_000_000_000L;
    private static final long LINGER_SLEEP_NS = 10_000_000L;
    private static final int RESOLVE_TIMEOUT_MS = 2000;

    /** State of the connection; in STREAM the {@link StreamMachine} knows more. */
    enum Phase { OPEN, CONNECTING, STREAM, FAILED, CLOSED }

    private final StreamLock lock = new StreamLock();
    private final RSocketOptions options;
    private final ConnectionEvents events;
    private final CmId id;
    /** Listener that accepted the request of this connection; null at the connecting end. */
    private final RServerSocketChannel server;
    private Phase phase;
    private RSocketException failure;
    private StreamResources resources;
    /** The connection was ended, by this end or by the peer. */
    private boolean ended;

    /** The connecting end. */
    private RSocketConnection(RSocketOptions options) {
        this.options = options;
        server = null;
        phase = Phase.OPEN;
        events = ConnectionEvents.acquire();
        id = createId();
    }

    private CmId createId() {
        try {
            return events.createId(this::onEvent);
        } catch (VerbsException refused) {
            ConnectionEvents.release();
            throw refused;
        }
    }

    /** The accepting end. */
    private RSocketConnection(RServerSocketChannel server, CmId id, RSocketOptions options) {
        this.options = options;
        this.server = server;
        this.id = id;
        phase = Phase.CONNECTING;
        events = ConnectionEvents.acquire();
    }

    /**
     * Makes the connecting end of a connection.
     *
     * @throws RSocketException the connection manager's error, for example ENODEV
     */
    static RSocketConnection open(RSocketOptions options) throws RSocketException {
        try {
            return new RSocketConnection(options);
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        }
    }

    /**
     * Accepts or refuses a request, on the thread of {@link ConnectionEvents}.
     *
     * @param server notified of the outcome if the request is accepted
     * @param request the peer's parameters
     * @return false if the request was refused: the peer uses another protocol, or the device is exhausted
     */
    static boolean answer(RServerSocketChannel server, CmId id, ConnectionParameters request, RSocketOptions options) {
        ConnectionData peer;
        try {
            peer = ConnectionData.parse(request.privateData());
        } catch (StreamException anotherProtocol) {
            RServerSocketChannel.refuse(id);
            return false;
        }
        RSocketConnection connection = new RSocketConnection(server, id, options);
        id.context((ConnectionEvents.Handler) connection::onEvent);
        try {
            connection.resources = new StreamResources(id, options);
            connection.resources.endpoint.begin(peer, System.nanoTime());
            id.accept(connection.resources.parameters());
            return true;
        } catch (VerbsException exhausted) {
            RServerSocketChannel.refuse(id);
            connection.free();
            return false;
        }
    }

    StreamLock lock() {
        return lock;
    }

    RSocketOptions options() {
        return options;
    }

    InetSocketAddress localAddress() {
        return id.localAddress();
    }

    InetSocketAddress peerAddress() {
        return id.peerAddress();
    }

    boolean isOpen() {
        lock.lock();
        try {
            return phase != Phase.CLOSED;
        } finally {
            lock.unlock();
        }
    }

    // ---- connecting ----

    /** @see RSocketChannel#bind */
    void bind(InetSocketAddress local) throws IOException {
        lock.lock();
        try {
            requireOpen();
            id.bind(local);
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Starts to connect, and waits for the outcome if the caller blocks.
     *
     * @return whether the connection is established
     */
    boolean connect(InetSocketAddress peer, boolean blocking) throws IOException {
        lock.lock();
        try {
            requireOpen();
            switch (phase) {
                case OPEN -> phase = Phase.CONNECTING;
                case CONNECTING -> throw new ConnectionPendingException();
                case FAILED -> throw failure.again();
                default -> throw new AlreadyConnectedException();
            }
            try {
                id.resolveAddress(null, peer, RESOLVE_TIMEOUT_MS);
            } catch (VerbsException refused) {
                fail(RSocketException.of(refused));
            }
            return awaitEstablished(blocking);
        } finally {
            lock.unlock();
        }
    }

    /** @see RSocketChannel#finishConnect */
    boolean finishConnect(boolean blocking) throws IOException {
        lock.lock();
        try {
            requireOpen();
            if (phase == Phase.OPEN) {
                throw new NoConnectionPendingException();
            }
            return awaitEstablished(blocking);
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitEstablished(boolean blocking) throws IOException {
        while (blocking && !isEstablished()) {
            lock.awaitChange(FOR_EVER);
        }
        return isEstablished();
    }

    private boolean isEstablished() throws IOException {
        requireOpen();
        if (phase == Phase.FAILED) {
            throw failure.again();
        }
        return phase == Phase.STREAM;
    }

    /**
     * Waits while the connection is being made. Requires the lock.
     *
     * @param timeoutNs 0 to check only, negative to wait without a limit
     * @return the phase at the end of the wait
     */
    Phase awaitOutcome(long timeoutNs) throws IOException {
        requireOpen();
        long leftNs = timeoutNs;
        while (phase == Phase.CONNECTING && leftNs != 0) {
            leftNs = lock.awaitChange(leftNs);
        }
        return phase;
    }

    private void onEvent(CmEventType type, CmId about, int status, ConnectionParameters peer, String detail) {
        boolean established = false;
        lock.lock();
        try {
            switch (phase) {
                case CONNECTING -> {
                    proceed(type, status, peer, detail);
                    established = phase == Phase.STREAM;
                }
                case STREAM -> {
                    if (type == CmEventType.DISCONNECTED) {
                        onDisconnected();
                    }
                }
                default -> {
                    // The connection is over: later events change nothing.
                }
            }
        } catch (VerbsException refused) {
            fail(RSocketException.of(refused));
        } catch (StreamException violation) {
            fail(RSocketException.of(violation));
        } catch (RSocketException refused) {
            fail(refused);
        } finally {
            lock.signalAll();
            lock.unlock();
        }
        if (server != null && (established || isFailed())) {
            server.onAnswered(this, established);
        }
    }

    private void proceed(CmEventType type, int status, ConnectionParameters peer, String detail)
            throws RSocketException, StreamException {
        switch (type) {
            case ADDR_RESOLVED -> id.resolveRoute(RESOLVE_TIMEOUT_MS);
            case ROUTE_RESOLVED -> {
                resources = new StreamResources(id, options);
                id.connect(resources.parameters());
            }
            case ESTABLISHED -> {
                if (server == null) {
                    resources.endpoint.begin(ConnectionData.parse(peer.privateData()), System.nanoTime());
                }
                phase = Phase.STREAM;
                resources.endpoint.poll();
                if (options.keepAliveSeconds() > 0) {
                    events.keepAlive(this);
                }
            }
            case REJECTED -> throw new RSocketException(Errno.ECONNREFUSED, "the peer refused, reason " + status);
            default -> {
                Errno errno = Errno.of(-status);
                throw new RSocketException(errno == null ? Errno.ECONNREFUSED : errno, type.text() + ", status " + status
                    + (detail == null ? "" : ": " + detail));
            }
        }
    }

    private void fail(RSocketException cause) {
        phase = Phase.FAILED;
        failure = cause;
    }

    private boolean isFailed() {
        lock.lock();
        try {
            return phase == Phase.FAILED;
        } finally {
            lock.unlock();
        }
    }

    /** Polls before it reports a reset: the peer's goodbye, if there was one, is among the completions. */
    private void onDisconnected() {
        resources.endpoint.poll();
        resources.endpoint.machine().onReset();
        disconnect();
    }

    private void disconnect() {
        if (!ended) {
            ended = true;
            try {
                id.disconnect();
            } catch (VerbsException notConnected) {
                // The connection has already ended below.
            }
        }
    }

    // ---- the stream ----

    /**
     * The machine of an established connection. Requires the lock.
     *
     * @throws NotYetConnectedException before the connection is established
     */
    StreamMachine machine() throws IOException {
        requireOpen();
        switch (phase) {
            case FAILED -> throw failure.again();
            case OPEN, CONNECTING -> throw new NotYetConnectedException();
            default -> {
                return resources.endpoint.machine();
            }
        }
    }

    /** Processes completions, and ends the connection of a failed stream. Requires the lock and an established connection. */
    void update() throws RSocketException {
        try {
            resources.endpoint.poll();
            if (resources.endpoint.machine().hasFailed()) {
                disconnect();
            }
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        }
    }

    /**
     * Waits until the goal or the timeout is reached. Requires the lock and an established connection.
     *
     * @param timeoutNs 0 to check only, negative to wait without a limit
     * @return whether the goal is reached
     */
    boolean await(Goal goal, long timeoutNs) throws IOException {
        return lock.await(goal, this, resources, timeoutNs);
    }

    /** Requires the lock. */
    boolean isClosed() {
        return phase == Phase.CLOSED;
    }

    /**
     * Sends a keep-alive if one is due, on the thread of {@link ConnectionEvents}.
     *
     * @return nanoseconds until the next call is due; {@link Long#MAX_VALUE} for never
     */
    long keepAlive(long nowNs) {
        lock.lock();
        try {
            if (phase != Phase.STREAM) {
                return Long.MAX_VALUE;
            }
            update();
            StreamMachine machine = resources.endpoint.machine();
            machine.onTimer(nowNs);
            lock.signalAll();
            return Math.max(1, machine.deadlineNs() - nowNs);
        } catch (RSocketException broken) {
            // The program's next call reports it.
            return options.keepAliveSeconds() * 1_000_000_000L;
        } finally {
            lock.unlock();
        }
    }

    // ---- closing ----

    private void requireOpen() throws ClosedChannelException {
        if (phase == Phase.CLOSED) {
            throw new ClosedChannelException();
        }
    }

    /** Disconnects, waits up to {@link #LINGER_NS} until everything written has arrived, and frees all resources. */
    void close() {
        close(LINGER_NS);
    }

    /** Closes without waiting for the peer. */
    void abort() {
        close(0);
    }

    private void close(long lingerNs) {
        lock.lock();
        try {
            if (phase == Phase.CLOSED) {
                return;
            }
            boolean established = phase == Phase.STREAM;
            phase = Phase.CLOSED;
            lock.signalAll();
            if (established) {
                resources.endpoint.machine().disconnect();
                linger(lingerNs);
            }
            lock.awaitOthers();
        } finally {
            lock.unlock();
        }
        events.forget(this);
        free();
    }

    private void linger(long lingerNs) {
        long beganNs = System.nanoTime();
        try {
            update();
            while (!resources.endpoint.machine().isIdle() && System.nanoTime() - beganNs < lingerNs) {
                lock.awaitCompletion(resources, LINGER_SLEEP_NS);
                update();
            }
        } catch (IOException interruptedOrBroken) {
            // A broken connection delivers nothing more. An interrupted thread stops lingering, and its interrupt status is set.
        }
    }

    private void free() {
        id.close();
        if (resources != null) {
            resources.close();
        }
        ConnectionEvents.release();
    }
}
