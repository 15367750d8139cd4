// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * A byte stream over an RDMA connection ({@code rsocket} of librdmacm, SOCK_STREAM). The peer may be any program on rsockets. Blocking
 * unless told otherwise; {@link java.nio.channels.Channels} makes streams of it. Any thread: one may read while another writes, and both
 * while a third closes.
 *
 * <p>A stream that failed throws the same {@link RSocketException} from every later call; what had come before can be read first.
 */
public final class RSocketChannel implements ByteChannel {
    /** Before a thread sleeps, it looks for so long. Source: librdmacm's polling_time */
    private static final long SPIN_NS = 10_000;
    /** A sleeping thread looks up so often, for what other threads change. Source: librdmacm's wake_up_interval */
    private static final long LONGEST_SLEEP_NS = 500_000_000L;
    /** How long {@link #close} waits for the peer to take what was written. */
    private static final long LINGER_NS = 10_000_000_000L;
    private static final long LINGER_SLEEP_NS = 10_000_000L;
    private static final long FOR_EVER = -1;
    private static final int RESOLVE_TIMEOUT_MS = 2000;

    /** Where it stands before and after its {@link StreamMachine} says so. */
    private enum Phase { OPEN, CONNECTING, STREAM, FAILED, CLOSED }

    /** What a thread waits for. */
    private enum Goal { READABLE, WRITABLE, ANY }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final RSocketOptions options;
    private final ConnectionEvents events;
    private final CmId id;
    /** Who wants to know of a connection that was asked for; null at the end that asks. */
    private final RServerSocketChannel server;
    private Phase phase;
    private RSocketException failure;
    private StreamResources resources;
    private volatile boolean blocking = true;
    /** Threads in {@link #await}; {@link #close} waits for them. */
    private int waiting;
    /** One of them sleeps at the completion channel, the others wait for that one. */
    private boolean sleeping;
    private boolean armed;
    /** The connection was ended, from here or from there. */
    private boolean ended;

    private RSocketChannel(RSocketOptions options) {
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

    /** One that a request makes. */
    private RSocketChannel(RServerSocketChannel server, CmId id, RSocketOptions options) {
        this.options = options;
        this.server = server;
        this.id = id;
        phase = Phase.CONNECTING;
        events = ConnectionEvents.acquire();
    }

    /** @throws RSocketException what the connection manager throws: ENODEV, for one */
    public static RSocketChannel open() throws RSocketException {
        return open(RSocketOptions.DEFAULT);
    }

    /** As {@link #open()}. */
    public static RSocketChannel open(RSocketOptions options) throws RSocketException {
        try {
            return new RSocketChannel(options);
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        }
    }

    /**
     * Answers a request, on the thread of {@link ConnectionEvents}.
     *
     * @param server hears how it ends, if this accepts
     * @return false if it was refused: the peer speaks no protocol of ours, or the device is exhausted
     */
    static boolean answer(RServerSocketChannel server, CmId id, ConnectionParameters said, RSocketOptions options) {
        ConnectionData peer;
        try {
            peer = ConnectionData.parse(said.privateData());
        } catch (RSocketException notOurs) {
            refuse(id);
            return false;
        }
        RSocketChannel channel = new RSocketChannel(server, id, options);
        id.context((ConnectionEvents.Handler) channel::onEvent);
        try {
            channel.resources = new StreamResources(id, options);
            channel.resources.endpoint.begin(peer, System.nanoTime());
            id.accept(channel.resources.parameters());
            return true;
        } catch (VerbsException exhausted) {
            refuse(id);
            channel.free();
            return false;
        }
    }

    /** Refuses a request and forgets it. */
    static void refuse(CmId id) {
        try {
            id.reject(new byte[0]);
        } catch (VerbsException gone) {
            // The peer took it back, or accepting it has failed: closing ends it.
            assert gone.errno() != null;
        }
        id.close();
    }

    // ---- connecting ----

    /** To be called before {@link #connect}, if at all. @param local port 0 for any */
    public void bind(InetSocketAddress local) throws IOException {
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
     * Connects; without blocking, begins to.
     *
     * @return whether the connection is there; if not, {@link #finishConnect} asks again
     * @throws RSocketException ECONNREFUSED: nobody listens, or the peer refused; ETIMEDOUT: nobody answers; EPROTO: the peer speaks
     *     another protocol
     */
    public boolean connect(InetSocketAddress peer) throws IOException {
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
            return blocking ? awaitConnection(FOR_EVER) : isThere();
        } finally {
            lock.unlock();
        }
    }

    /** @return as {@link #connect}; waits if blocking */
    public boolean finishConnect() throws IOException {
        lock.lock();
        try {
            requireOpen();
            if (phase == Phase.OPEN) {
                throw new NoConnectionPendingException();
            }
            return awaitConnection(blocking ? FOR_EVER : 0);
        } finally {
            lock.unlock();
        }
    }

    private boolean isThere() throws IOException {
        requireOpen();
        if (phase == Phase.FAILED) {
            throw failure.again();
        }
        return phase == Phase.STREAM;
    }

    /** @param timeoutNs negative for ever */
    private boolean awaitConnection(long timeoutNs) throws IOException {
        long leftNs = timeoutNs;
        while (!isThere() && leftNs != 0) {
            leftNs = pause(leftNs);
        }
        return isThere();
    }

    /** @return what is left to wait */
    private long pause(long leftNs) throws InterruptedIOException {
        try {
            if (leftNs < 0) {
                changed.await();
                return leftNs;
            }
            return Math.max(0, changed.awaitNanos(leftNs));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the peer");
        }
    }

    private void onEvent(CmEventType type, CmId about, int status, ConnectionParameters said) {
        boolean established = false;
        lock.lock();
        try {
            switch (phase) {
                case CONNECTING -> {
                    step(type, status, said);
                    established = phase == Phase.STREAM;
                }
                case STREAM -> {
                    if (type == CmEventType.DISCONNECTED) {
                        disconnected();
                    }
                }
                default -> {
                    // Nobody is interested any more.
                }
            }
        } catch (VerbsException refused) {
            fail(RSocketException.of(refused));
        } catch (RSocketException violation) {
            fail(violation);
        } finally {
            changed.signalAll();
            lock.unlock();
        }
        if (server != null && (established || isFailed())) {
            server.onAnswered(this, established);
        }
    }

    private void step(CmEventType type, int status, ConnectionParameters said) throws RSocketException {
        switch (type) {
            case ADDR_RESOLVED -> id.resolveRoute(RESOLVE_TIMEOUT_MS);
            case ROUTE_RESOLVED -> {
                resources = new StreamResources(id, options);
                id.connect(resources.parameters());
            }
            case ESTABLISHED -> {
                if (server == null) {
                    resources.endpoint.begin(ConnectionData.parse(said.privateData()), System.nanoTime());
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
                throw new RSocketException(errno == null ? Errno.ECONNREFUSED : errno, type.text() + ", status " + status);
            }
        }
    }

    private void fail(RSocketException why) {
        phase = Phase.FAILED;
        failure = why;
    }

    private boolean isFailed() {
        lock.lock();
        try {
            return phase == Phase.FAILED;
        } finally {
            lock.unlock();
        }
    }

    /** The peer left. If it said goodbye, that is among the completions. */
    private void disconnected() {
        resources.endpoint.poll();
        resources.endpoint.machine().onReset();
        endConnection();
    }

    private void endConnection() {
        if (!ended) {
            ended = true;
            try {
                id.disconnect();
            } catch (VerbsException already) {
                // It has ended from below.
                assert already.errno() != null;
            }
        }
    }

    // ---- the stream ----

    /**
     * @return bytes, -1 at the end of the stream, 0 if there are none and it does not block
     * @throws RSocketException why the stream ended before its end: ECONNRESET, EPROTO, EIO
     */
    @Override
    public int read(ByteBuffer into) throws IOException {
        lock.lock();
        try {
            StreamMachine machine = machine();
            int bytes = machine.read(into);
            if (bytes == 0 && into.hasRemaining()) {
                await(Goal.READABLE, blocking ? FOR_EVER : 0);
                bytes = machine.read(into);
            }
            machine.transmit();
            return bytes;
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        } finally {
            lock.unlock();
        }
    }

    /**
     * @return bytes: all of them if it blocks
     * @throws RSocketException ECONNRESET: the peer has closed the stream or vanished; EPROTO, EIO
     */
    @Override
    public int write(ByteBuffer from) throws IOException {
        lock.lock();
        try {
            StreamMachine machine = machine();
            int bytes = taken(machine.write(from));
            while (from.hasRemaining() && await(Goal.WRITABLE, blocking ? FOR_EVER : 0)) {
                bytes += taken(machine.write(from));
            }
            return bytes;
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        } finally {
            lock.unlock();
        }
    }

    private static int taken(int bytes) throws ClosedChannelException {
        if (bytes < 0) {
            throw new ClosedChannelException();
        }
        return bytes;
    }

    /** Says that no more will be written; the peer reads the end of the stream behind the data. */
    public void shutdownOutput() throws IOException {
        lock.lock();
        try {
            machine().shutdownOutput();
            update();
        } finally {
            lock.unlock();
        }
    }

    /** Reads no more than has come. With both directions shut down, the stream ends. */
    public void shutdownInput() throws IOException {
        lock.lock();
        try {
            machine().shutdownInput();
            update();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until one of the events can be reported; the stream's end and its failure always can.
     *
     * @param interest  {@link PollEvents}
     * @param timeoutNs 0 to look only, negative for ever
     * @return {@link PollEvents}; 0 when the time is over
     */
    public int poll(int interest, long timeoutNs) throws IOException {
        long untilNs = System.nanoTime() + timeoutNs;
        lock.lock();
        try {
            requireOpen();
            long leftNs = timeoutNs;
            while (phase == Phase.CONNECTING && leftNs != 0) {
                leftNs = pause(leftNs);
            }
            if (phase == Phase.FAILED) {
                return interest & (PollEvents.IN | PollEvents.OUT) | PollEvents.ERR;
            }
            if (phase != Phase.STREAM) {
                return 0;
            }
            boolean reads = (interest & PollEvents.IN) != 0;
            boolean writes = (interest & PollEvents.OUT) != 0;
            Goal goal = reads && writes ? Goal.ANY : writes ? Goal.WRITABLE : Goal.READABLE;
            StreamMachine machine = machine();
            await(goal, timeoutNs < 0 ? FOR_EVER : Math.max(0, untilNs - System.nanoTime()));
            return (reads && machine.isReadable() ? PollEvents.IN : 0) | (writes && machine.isWritable() ? PollEvents.OUT : 0)
                | (machine.isConnected() ? 0 : machine.hasFailed() ? PollEvents.ERR : PollEvents.HUP);
        } finally {
            lock.unlock();
        }
    }

    /** Before its connection there is none. */
    private StreamMachine machine() throws IOException {
        requireOpen();
        switch (phase) {
            case FAILED -> throw failure.again();
            case OPEN, CONNECTING -> throw new NotYetConnectedException();
            default -> {
                return resources.endpoint.machine();
            }
        }
    }

    /** Takes what has happened. What the peer did wrong ends its connection, too. */
    private void update() throws RSocketException {
        try {
            resources.endpoint.poll();
            if (resources.endpoint.machine().hasFailed()) {
                endConnection();
            }
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        }
    }

    /** The thread of {@link ConnectionEvents}. @return nanoseconds until it should be called again */
    long keepAlive(long nowNs) {
        lock.lock();
        try {
            if (phase != Phase.STREAM) {
                return Long.MAX_VALUE;
            }
            update();
            StreamMachine machine = resources.endpoint.machine();
            machine.onTimer(nowNs);
            changed.signalAll();
            return Math.max(1, machine.deadlineNs() - nowNs);
        } catch (RSocketException broken) {
            // The program hears of it with its next call.
            return options.keepAliveSeconds() * 1_000_000_000L;
        } finally {
            lock.unlock();
        }
    }

    // ---- waiting, with the lock held ----

    /** @return whether the goal is reached */
    private boolean await(Goal goal, long timeoutNs) throws IOException {
        long beganNs = System.nanoTime();
        waiting++;
        try {
            while (true) {
                update();
                if (isReached(goal)) {
                    return true;
                }
                if (phase == Phase.CLOSED) {
                    throw new AsynchronousCloseException();
                }
                long passedNs = System.nanoTime() - beganNs;
                if (timeoutNs >= 0 && passedNs >= timeoutNs) {
                    return false;
                }
                if (passedNs < SPIN_NS) {
                    Thread.onSpinWait();
                } else {
                    sleep(timeoutNs < 0 ? LONGEST_SLEEP_NS : Math.min(LONGEST_SLEEP_NS, timeoutNs - passedNs));
                }
            }
        } finally {
            waiting--;
            changed.signalAll();
        }
    }

    private boolean isReached(Goal goal) {
        StreamMachine machine = resources.endpoint.machine();
        return switch (goal) {
            case READABLE -> machine.isReadable();
            case WRITABLE -> machine.isWritable();
            case ANY -> machine.isReadable() || machine.isWritable();
        };
    }

    /** Arms the completion queue, and the next time, when what came meanwhile has been looked at, sleeps. */
    private void sleep(long atMostNs) throws InterruptedIOException {
        if (sleeping) {
            pause(atMostNs);
        } else if (!armed) {
            resources.cq.requestNotify();
            armed = true;
        } else {
            sleepAtTheDevice(atMostNs);
        }
    }

    private void sleepAtTheDevice(long atMostNs) throws InterruptedIOException {
        sleeping = true;
        lock.unlock();
        CompletionQueue rang = null;
        try {
            rang = resources.channel.getEvent(atMostNs);
        } catch (VerbsException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the peer");
        } finally {
            lock.lock();
            sleeping = false;
            if (rang != null) {
                rang.ackEvents(1);
                armed = false;
            }
            changed.signalAll();
        }
    }

    // ---- the rest ----

    /** Whether reads, writes and connecting wait. */
    public void configureBlocking(boolean block) {
        blocking = block;
    }

    public boolean isBlocking() {
        return blocking;
    }

    /** What it was made with. */
    public RSocketOptions options() {
        return options;
    }

    /** Where it is bound; the wildcard address and port 0 before. */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** The peer; null while there is none. */
    public InetSocketAddress remoteAddress() {
        return id.peerAddress();
    }

    @Override
    public boolean isOpen() {
        lock.lock();
        try {
            return phase != Phase.CLOSED;
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (phase == Phase.CLOSED) {
            throw new ClosedChannelException();
        }
    }

    /** Says goodbye, waits up to ten seconds until what was written has arrived, and gives everything back. */
    @Override
    public void close() {
        end(LINGER_NS);
    }

    /** Closes without waiting for the peer. */
    void abort() {
        end(0);
    }

    private void end(long lingerNs) {
        lock.lock();
        try {
            if (phase == Phase.CLOSED) {
                return;
            }
            boolean polite = phase == Phase.STREAM;
            phase = Phase.CLOSED;
            changed.signalAll();
            if (polite) {
                resources.endpoint.machine().disconnect();
                linger(lingerNs);
            }
            while (waiting > 0) {
                changed.awaitUninterruptibly();
            }
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
                sleep(LINGER_SLEEP_NS);
                update();
            }
        } catch (IOException over) {
            // There is nobody left to wait for; or the thread was interrupted, and its status says so.
            assert over.getMessage() != null;
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
