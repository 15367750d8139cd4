// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import org.softrdma.rsocket.RSocketConnection.Phase;
import org.softrdma.rsocket.StreamLock.Goal;
import org.softrdma.rsocket.stream.StreamException;
import org.softrdma.rsocket.stream.StreamMachine;
import org.softrdma.verbs.VerbsException;

/**
 * A byte stream over an RDMA connection ({@code rsocket} of librdmacm, SOCK_STREAM). The peer may be any program that uses rsockets.
 * Blocking unless configured otherwise; {@link java.nio.channels.Channels} makes streams of it. Safe for use by any threads: one may read
 * while another one writes and a third one closes.
 *
 * <p>A stream that failed throws the same {@link RSocketException} from every later call; data received before can be read first.
 */
public final class RSocketChannel implements ByteChannel {
    private final RSocketConnection connection;
    private final StreamLock lock;
    private volatile boolean blocking = true;

    RSocketChannel(RSocketConnection connection) {
        this.connection = connection;
        lock = connection.lock();
    }

    /**
     * Opens a channel with {@link RSocketOptions#DEFAULT}.
     *
     * @return the channel, not connected
     * @throws RSocketException the connection manager's error, for example ENODEV
     */
    public static RSocketChannel open() throws RSocketException {
        return open(RSocketOptions.DEFAULT);
    }

    /**
     * Opens a channel.
     *
     * @param options of its stream
     * @return the channel, not connected
     * @throws RSocketException the connection manager's error, for example ENODEV
     */
    public static RSocketChannel open(RSocketOptions options) throws RSocketException {
        return new RSocketChannel(RSocketConnection.open(options));
    }

    // ---- connecting ----

    /**
     * Binds to a local address; optional, and before {@link #connect} only.
     *
     * @param local port 0 for any
     * @throws IOException if the channel is closed or the address cannot be used
     */
    public void bind(InetSocketAddress local) throws IOException {
        connection.bind(local);
    }

    /**
     * Connects; a channel that does not block only starts to.
     *
     * @param peer address and port of a listener
     * @return whether the connection is established; if not, call {@link #finishConnect}
     * @throws RSocketException ECONNREFUSED: no listener, or the peer refused; ETIMEDOUT: no answer; EPROTO: the peer uses another
     *     protocol
     */
    public boolean connect(InetSocketAddress peer) throws IOException {
        return connection.connect(peer, blocking);
    }

    /**
     * Finishes connecting; waits if the channel blocks.
     *
     * @return whether the connection is established
     * @throws RSocketException as {@link #connect} throws
     */
    public boolean finishConnect() throws IOException {
        return connection.finishConnect(blocking);
    }

    // ---- the stream ----

    /**
     * Reads received bytes.
     *
     * @return bytes read; -1 at the end of the stream; 0 if there are none and the channel does not block
     * @throws RSocketException the stream failed: ECONNRESET, EPROTO, EIO
     */
    @Override
    public int read(ByteBuffer into) throws IOException {
        lock.lock();
        try {
            StreamMachine machine = connection.machine();
            int bytes = machine.read(into);
            if (bytes == 0 && into.hasRemaining()) {
                connection.await(Goal.READABLE, timeoutNs());
                bytes = machine.read(into);
            }
            machine.transmit();
            return bytes;
        } catch (StreamException failed) {
            throw RSocketException.of(failed);
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes bytes, all of them if the channel blocks.
     *
     * @return bytes written
     * @throws RSocketException ECONNRESET: the peer closed the stream or is gone; EPROTO, EIO
     */
    @Override
    public int write(ByteBuffer from) throws IOException {
        lock.lock();
        try {
            StreamMachine machine = connection.machine();
            int bytes = requireOpenOutput(machine.write(from));
            while (from.hasRemaining() && connection.await(Goal.WRITABLE, timeoutNs())) {
                bytes += requireOpenOutput(machine.write(from));
            }
            return bytes;
        } catch (StreamException failed) {
            throw RSocketException.of(failed);
        } catch (VerbsException refused) {
            throw RSocketException.of(refused);
        } finally {
            lock.unlock();
        }
    }

    private long timeoutNs() {
        return blocking ? RSocketConnection.FOR_EVER : 0;
    }

    private static int requireOpenOutput(int bytes) throws ClosedChannelException {
        if (bytes < 0) {
            throw new ClosedChannelException();
        }
        return bytes;
    }

    /**
     * Ends the output direction; the peer reads the end of the stream after the data.
     *
     * @throws IOException if the channel is closed or connecting has failed
     */
    public void shutdownOutput() throws IOException {
        lock.lock();
        try {
            connection.machine().shutdownOutput();
            connection.update();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the input direction; data received before can be read. The stream ends when both directions are shut down.
     *
     * @throws IOException if the channel is closed or connecting has failed
     */
    public void shutdownInput() throws IOException {
        lock.lock();
        try {
            connection.machine().shutdownInput();
            connection.update();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for events. The end of the stream and its failure are always reported.
     *
     * @param interest  bits of {@link PollEvents}
     * @param timeoutNs 0 to check only, negative to wait without a limit
     * @return bits of {@link PollEvents}; 0 after the timeout
     * @throws IOException if the channel is closed
     */
    public int poll(int interest, long timeoutNs) throws IOException {
        long untilNs = System.nanoTime() + timeoutNs;
        lock.lock();
        try {
            Phase phase = connection.awaitOutcome(timeoutNs);
            if (phase == Phase.FAILED) {
                return interest & (PollEvents.IN | PollEvents.OUT) | PollEvents.ERR;
            }
            if (phase != Phase.STREAM) {
                return 0;
            }
            StreamMachine machine = connection.machine();
            long leftNs = timeoutNs < 0 ? RSocketConnection.FOR_EVER : Math.max(0, untilNs - System.nanoTime());
            connection.await(goal(interest), leftNs);
            return events(machine) & (interest | PollEvents.ERR | PollEvents.HUP);
        } finally {
            lock.unlock();
        }
    }

    private static Goal goal(int interest) {
        boolean writes = (interest & PollEvents.OUT) != 0;
        if (writes && (interest & PollEvents.IN) != 0) {
            return Goal.ANY;
        }
        return writes ? Goal.WRITABLE : Goal.READABLE;
    }

    private static int events(StreamMachine machine) {
        int events = 0;
        if (machine.isReadable()) {
            events |= PollEvents.IN;
        }
        if (machine.isWritable()) {
            events |= PollEvents.OUT;
        }
        if (!machine.isConnected()) {
            events |= machine.hasFailed() ? PollEvents.ERR : PollEvents.HUP;
        }
        return events;
    }

    // ---- configuration and closing ----

    /**
     * Sets whether reads, writes and connecting wait.
     *
     * @param block whether they do
     */
    public void configureBlocking(boolean block) {
        blocking = block;
    }

    /** {@return whether reads, writes and connecting wait} */
    public boolean isBlocking() {
        return blocking;
    }

    /** {@return the options the channel was opened with} */
    public RSocketOptions options() {
        return connection.options();
    }

    /** {@return the bound address; the wildcard address and port 0 before binding} */
    public InetSocketAddress localAddress() {
        return connection.localAddress();
    }

    /** {@return the peer's address; null before connecting} */
    public InetSocketAddress remoteAddress() {
        return connection.peerAddress();
    }

    @Override
    public boolean isOpen() {
        return connection.isOpen();
    }

    /** Ends the stream, waits up to ten seconds until everything written has arrived, and frees all resources. */
    @Override
    public void close() {
        connection.close();
    }
}
