// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/** Messages over TCP, one way or there and back. */
final class TcpTest extends SocketTest {
    private final boolean answering;
    /** Result of reading the data, kept so that the read cannot be optimized away. */
    private long touched;

    private TcpTest(Measure measure, int bytes, boolean answering) {
        super(measure, bytes);
        this.answering = answering;
    }

    static TcpTest bandwidth() {
        return new TcpTest(Measure.BANDWIDTH, 64 << 10, false);
    }

    static TcpTest latency() {
        return new TcpTest(Measure.LATENCY, 1, true);
    }

    @Override
    public void asClient(Session session) {
        int port = session.receivePort("port");
        try (SocketChannel channel = SocketChannel.open()) {
            bufferSizes(channel, session);
            channel.connect(new InetSocketAddress(session.control().peerAddress(), port));
            run(channel, session);
        } catch (IOException failed) {
            throw new QPerfFailure("could not make TCP connection to server", failed.getMessage());
        }
    }

    @Override
    public void asServer(Session session) {
        try (SocketChannel channel = accept(session)) {
            bufferSizes(channel, session);
            run(channel, session);
        } catch (IOException failed) {
            throw new QPerfFailure("accept failed: " + failed.getMessage());
        }
    }

    private static SocketChannel accept(Session session) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            try {
                listener.bind(new InetSocketAddress(port(session)), 1);
            } catch (IOException refused) {
                throw new QPerfFailure("unable to make TCP socket", refused.getMessage());
            }
            session.sendPort(listener.socket().getLocalPort(), "port");
            long timeoutMs = TimeUnit.NANOSECONDS.toMillis(session.control().timeoutNs());
            listener.socket().setSoTimeout(Math.clamp(timeoutMs, 1, Integer.MAX_VALUE));
            return listener.socket().accept().getChannel();
        }
    }

    private void run(SocketChannel channel, Session session) {
        closeWhenStuck(channel, session);
        ByteBuffer buffer = buffer(session);
        session.begin();
        try {
            if (session.isClient()) {
                send(channel, buffer, session);
            } else {
                receive(channel, buffer, session);
            }
        } catch (IOException broken) {
            // The peer has finished first, or the channel was closed because the time is over.
            session.timer().finish();
        }
        session.end();
    }

    private void send(SocketChannel channel, ByteBuffer buffer, Session session) throws IOException {
        while (sendOne(channel, buffer, session) && (!answering || receiveOne(channel, buffer, session))) {
            // until the time is over
        }
    }

    private void receive(SocketChannel channel, ByteBuffer buffer, Session session) throws IOException {
        boolean touching = session.request().isSet(Parameter.ACCESS_RECV);
        while (receiveOne(channel, buffer, session) && (!answering || sendOne(channel, buffer, session))) {
            if (touching) {
                touched += touch(buffer);
            }
        }
    }

    /** @return false when the time is over */
    private static boolean sendOne(SocketChannel channel, ByteBuffer buffer, Session session) throws IOException {
        TestTimer timer = session.timer();
        buffer.clear();
        while (!timer.isFinished() && buffer.hasRemaining()) {
            channel.write(buffer);
        }
        if (timer.isFinished()) {
            return false;
        }
        session.statistics().sent.message(buffer.capacity());
        return true;
    }

    /** @return false when the time is over, or the peer has finished */
    private static boolean receiveOne(SocketChannel channel, ByteBuffer buffer, Session session) throws IOException {
        TestTimer timer = session.timer();
        buffer.clear();
        while (!timer.isFinished() && buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                timer.finish();
            }
        }
        if (timer.isFinished()) {
            return false;
        }
        session.statistics().received.message(buffer.capacity());
        return true;
    }
}
