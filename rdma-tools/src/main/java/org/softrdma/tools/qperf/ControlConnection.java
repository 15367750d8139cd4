// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.softrdma.verbs.Errno;

/**
 * The TCP connection over which the ends of a test agree: messages of fixed length, each with a time limit. An end that fails sends an
 * urgent byte, '?', followed by a text, and nothing more. Urgent bytes are received in line with the others; the first bytes tell such a
 * report from a message, since no message begins with '?' and a text. One thread at a time.
 */
final class ControlConnection implements AutoCloseable {
    private static final byte FAILURE = '?';
    /** Enough to tell a report from a message. */
    private static final int MARK_BYTES = 4;
    /** Of a failure report, with the '?'; no message is longer. */
    private static final int MAX_BYTES = 257;
    private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(3);

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final String peer;
    private final ByteBuffer input = ByteBuffer.allocate(MAX_BYTES);
    private boolean ended;
    private long timeoutNs;

    /** @param peer "server" or "client" */
    private ControlConnection(SocketChannel channel, Selector selector, String peer) throws IOException {
        this.channel = channel;
        this.selector = selector;
        this.peer = peer;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.socket().setOOBInline(true);
        key = channel.register(selector, SelectionKey.OP_READ);
    }

    /** Takes over a connection that was made; closes it if that fails. */
    static ControlConnection of(SocketChannel channel, String peer) throws IOException {
        Selector selector = null;
        try {
            selector = Selector.open();
            return new ControlConnection(channel, selector, peer);
        } catch (IOException failed) {
            channel.close();
            if (selector != null) {
                selector.close();
            }
            throw failed;
        }
    }

    /**
     * How long each message may take from now on.
     *
     * @param seconds u32
     */
    void timeout(int seconds) {
        timeoutNs = TimeUnit.SECONDS.toNanos(Integer.toUnsignedLong(seconds));
    }

    long timeoutNs() {
        return timeoutNs;
    }

    InetAddress localAddress() {
        return channel.socket().getLocalAddress();
    }

    InetAddress peerAddress() {
        return ((InetSocketAddress) channel.socket().getRemoteSocketAddress()).getAddress();
    }

    // ---- messages ----

    /**
     * @param item what it is, for failures
     * @throws QPerfFailure it could not be sent in time
     */
    void send(byte[] message, String item) {
        ByteBuffer output = ByteBuffer.wrap(message);
        long untilNs = System.nanoTime() + timeoutNs;
        try {
            key.interestOps(SelectionKey.OP_WRITE);
            while (output.hasRemaining()) {
                if (channel.write(output) == 0 && !select(untilNs)) {
                    throw new QPerfFailure("failed to send " + item + ": timed out");
                }
            }
        } catch (IOException failed) {
            throw new QPerfFailure("failed to send " + item + ": " + text(failed));
        }
    }

    /**
     * @param length bytes, 4..256
     * @throws QPerfFailure it did not come in time
     * @throws PeerFailure  a failure report came instead
     */
    byte[] receive(int length, String item) {
        long untilNs = System.nanoTime() + timeoutNs;
        while (input.position() < length) {
            checkPeer();
            if (ended) {
                throw new QPerfFailure("failed to receive " + item + ": " + peer + " not responding");
            }
            if (!fill(untilNs, item)) {
                throw new QPerfFailure("failed to receive " + item + ": timed out");
            }
        }
        checkPeer();
        byte[] message = Arrays.copyOf(input.array(), length);
        input.flip().position(length);
        input.compact();
        return message;
    }

    /** Synchronizes both ends: sends {@code text} and waits for the peer's. */
    void synchronize(String text) {
        sendSync(text);
        receiveSync(text);
    }

    void sendSync(String text) {
        send(text.getBytes(StandardCharsets.US_ASCII), text);
    }

    /** @throws QPerfFailure something else came */
    void receiveSync(String text) {
        byte[] expected = text.getBytes(StandardCharsets.US_ASCII);
        if (!Arrays.equals(receive(expected.length, text), expected)) {
            throw new QPerfFailure("synchronize " + text + " failure: data does not match");
        }
    }

    /** Waits until the peer closes the connection or the time limit expires. */
    void awaitEnd() {
        long untilNs = System.nanoTime() + timeoutNs;
        do {
            input.clear();
        } while (!ended && fill(untilNs, "end"));
    }

    // ---- while a test runs ----

    /**
     * Watches for failure reports while a test runs; messages are left for later.
     *
     * @param untilNs as of {@link System#nanoTime}
     * @param stopped looked at after each {@link #wakeUp}
     * @throws PeerFailure a failure report came
     */
    void watch(long untilNs, BooleanSupplier stopped) {
        while (!stopped.getAsBoolean() && System.nanoTime() - untilNs < 0 && !ended) {
            if (input.hasRemaining()) {
                fill(untilNs, "results");
                checkPeer();
            } else {
                key.interestOps(0);
                sleep(untilNs);
            }
        }
    }

    /** Wakes a {@link #watch} of another thread, which then checks whether to stop. */
    void wakeUp() {
        selector.wakeup();
    }

    /**
     * Looks for a failure report, without waiting.
     *
     * @throws QPerfFailure the peer has gone
     */
    void look(String item) {
        fill(System.nanoTime(), item);
        checkPeer();
        if (ended) {
            throw new QPerfFailure("failed to receive " + item + ": " + peer + " not responding");
        }
    }

    // ---- failures ----

    /** @throws PeerFailure if a failure report has begun, with all of it */
    private void checkPeer() {
        if (!isFailure()) {
            return;
        }
        long untilNs = System.nanoTime() + REPORT_NS;
        while (!ended && input.hasRemaining() && fill(untilNs, "failure")) {
            // until nothing more comes
        }
        if (!ended && input.hasRemaining()) {
            throw new PeerFailure(peer + " failure");
        }
        String text = new String(input.array(), 1, input.position() - 1, StandardCharsets.UTF_8);
        throw new PeerFailure(peer + ": " + WireText.printable(text).stripTrailing());
    }

    private boolean isFailure() {
        if (input.position() < MARK_BYTES || input.get(0) != FAILURE) {
            return false;
        }
        for (int i = 1; i < MARK_BYTES; i++) {
            if (input.get(i) < ' ' || input.get(i) > '~') {
                return false;
            }
        }
        return true;
    }

    /** Reports this end's failure to the peer and waits briefly for it to close. */
    void reportFailure(String why) {
        byte[] text = why.getBytes(StandardCharsets.UTF_8);
        try {
            channel.socket().sendUrgentData(FAILURE);
            send(Arrays.copyOf(text, Math.min(text.length, MAX_BYTES - 2)), "failure");
            channel.shutdownOutput();
        } catch (IOException | QPerfFailure gone) {
            return;
        }
        timeoutNs = REPORT_NS;
        try {
            awaitEnd();
        } catch (QPerfFailure gone) {
            // the peer has been notified
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
            selector.close();
        } catch (IOException moot) {
            // no further messages are due
        }
    }

    // ---- bytes ----

    /**
     * Waits for bytes and reads those available.
     *
     * @return false if the time limit expired
     */
    private boolean fill(long untilNs, String item) {
        try {
            key.interestOps(SelectionKey.OP_READ);
            boolean ready = select(untilNs);
            ended |= channel.read(input) < 0;
            return ready;
        } catch (IOException failed) {
            throw new QPerfFailure("failed to receive " + item + ": " + text(failed));
        }
    }

    private void sleep(long untilNs) {
        try {
            select(untilNs);
        } catch (IOException failed) {
            throw new QPerfFailure("failed to wait: " + text(failed));
        }
    }

    /** @return whether something can be done, or {@link #wakeUp} was called, before the time was over */
    private boolean select(long untilNs) throws IOException {
        long leftNs = untilNs - System.nanoTime();
        if (leftNs <= 0) {
            return selector.selectNow(ignored -> { }) > 0;
        }
        selector.select(ignored -> { }, leftNs / 1_000_000 + 1);
        return System.nanoTime() - untilNs < 0;
    }

    private static String text(IOException failed) {
        String message = String.valueOf(failed.getMessage());
        return message.equals("Connection reset") ? Errno.ECONNRESET.text() : message;
    }
}
