// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * Listener for {@link RSocketChannel}s. Connections are established as requests arrive and wait for {@link #accept}; beyond
 * {@link #MAX_WAITING} waiting connections, requests are refused. Safe for use by any threads.
 */
public final class RServerSocketChannel implements Channel {
    /** Maximum number of connections that wait for {@link #accept}. */
    public static final int MAX_WAITING = 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile RSocketOptions options;
    private final CmId id;
    private final Deque<RSocketConnection> established = new ArrayDeque<>();
    /** Connections in {@link #established}, and those that are being made. */
    private int waiting;
    private boolean closed;
    private volatile boolean blocking = true;

    private RServerSocketChannel(RSocketOptions options) {
        this.options = options;
        ConnectionEvents events = ConnectionEvents.acquire();
        try {
            id = events.createId(this::onEvent);
        } catch (VerbsException refused) {
            ConnectionEvents.release();
            throw refused;
        }
    }

    /**
     * Opens a listener whose connections have {@link RSocketOptions#DEFAULT}.
     *
     * @return the listener, not bound
     * @throws RSocketException the connection manager's error, for example ENODEV
     */
    public static RServerSocketChannel open() throws RSocketException {
        return open(RSocketOptions.DEFAULT);
    }

    /**
     * Opens a listener.
     *
     * @param options of its connections
     * @return the listener, not bound
     * @throws RSocketException the connection manager's error, for example ENODEV
     */
    public static RServerSocketChannel open(RSocketOptions options) throws RSocketException {
        try {
            return new RServerSocketChannel(options);
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        }
    }

    /**
     * Binds to a local address.
     *
     * @param local port 0 for any
     * @throws RSocketException EADDRINUSE, EADDRNOTAVAIL, ENODEV
     */
    public void bind(InetSocketAddress local) throws RSocketException {
        try {
            id.bind(local);
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        }
    }

    /**
     * Starts to listen.
     *
     * @param backlog requests that may wait for an answer; the peer repeats those beyond it. 0 for the connection manager's default
     * @throws RSocketException EADDRINUSE: the address has another listener; ENODEV: there is no device
     */
    public void listen(int backlog) throws RSocketException {
        try {
            id.listen(backlog);
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        }
    }

    /**
     * Takes a connection; waits for one if the listener blocks.
     *
     * @return the connection established first; null if there is none and the listener does not block
     * @throws IOException if the listener is closed, or has failed
     */
    public RSocketChannel accept() throws IOException {
        lock.lock();
        try {
            await(blocking ? -1 : 0);
            if (established.isEmpty()) {
                return null;
            }
            waiting--;
            return new RSocketChannel(established.remove());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a connection.
     *
     * @param timeoutNs 0 to check only, negative to wait without a limit
     * @return {@link PollEvents#IN} or 0
     * @throws IOException if the listener is closed, or has failed
     */
    public int poll(long timeoutNs) throws IOException {
        lock.lock();
        try {
            await(timeoutNs);
            return established.isEmpty() ? 0 : PollEvents.IN;
        } finally {
            lock.unlock();
        }
    }

    private void await(long timeoutNs) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        long leftNs = timeoutNs;
        try {
            while (established.isEmpty() && leftNs != 0 && !closed) {
                if (leftNs < 0) {
                    changed.await();
                } else {
                    leftNs = Math.max(0, changed.awaitNanos(leftNs));
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a connection");
        }
        if (closed) {
            throw new AsynchronousCloseException();
        }
    }

    private void onEvent(CmEventType type, CmId request, int status, ConnectionParameters peer, String detail) {
        if (type != CmEventType.CONNECT_REQUEST) {
            return;
        }
        if (!reserve()) {
            refuse(request);
        } else if (!RSocketConnection.answer(this, request, peer, options)) {
            release();
        }
    }

    /** Rejects a request and closes its identifier. */
    static void refuse(CmId id) {
        try {
            id.reject(new byte[0]);
        } catch (VerbsException notPending) {
            // The peer withdrew its request, or accept has failed half way. Closing the identifier ends either.
        }
        id.close();
    }

    private boolean reserve() {
        lock.lock();
        try {
            if (closed || waiting == MAX_WAITING) {
                return false;
            }
            waiting++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void release() {
        lock.lock();
        try {
            waiting--;
        } finally {
            lock.unlock();
        }
    }

    /** Outcome of a request that was accepted. */
    void onAnswered(RSocketConnection connection, boolean isEstablished) {
        lock.lock();
        try {
            if (isEstablished && !closed) {
                established.add(connection);
                changed.signalAll();
                return;
            }
            waiting--;
        } finally {
            lock.unlock();
        }
        connection.abort();
    }

    /**
     * Sets the options of connections whose requests arrive from now on.
     *
     * @param changed the new options
     */
    public void options(RSocketOptions changed) {
        options = changed;
    }

    /**
     * Sets whether {@link #accept} waits.
     *
     * @param block whether it does
     */
    public void configureBlocking(boolean block) {
        blocking = block;
    }

    /** {@return the bound address, with the port that was assigned} */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    @Override
    public boolean isOpen() {
        lock.lock();
        try {
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops listening. Connections that were not accepted end at once: their peers read the end of the stream or a reset. Accepted
     * connections are not affected.
     */
    @Override
    public void close() {
        Deque<RSocketConnection> unwanted;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            unwanted = new ArrayDeque<>(established);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        id.close();
        unwanted.forEach(RSocketConnection::abort);
        ConnectionEvents.release();
    }
}
