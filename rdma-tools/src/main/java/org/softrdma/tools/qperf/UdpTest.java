// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** Datagrams, one way or there and back. What is lost is lost; there and back, the test then stands still. */
final class UdpTest extends SocketTest {
    private final boolean answering;
    /** Result of reading the data, kept so that the read cannot be optimized away. */
    private long touched;

    private UdpTest(Measure measure, int bytes, boolean answering) {
        super(measure, bytes);
        this.answering = answering;
    }

    static UdpTest bandwidth() {
        return new UdpTest(Measure.BANDWIDTHS, 32 << 10, false);
    }

    static UdpTest latency() {
        return new UdpTest(Measure.LATENCY, 1, true);
    }

    @Override
    public void asClient(Session session) {
        int port = session.receivePort("port");
        try (DatagramChannel channel = DatagramChannel.open()) {
            bufferSizes(channel, session);
            channel.connect(new InetSocketAddress(session.control().peerAddress(), port));
            ByteBuffer buffer = begin(channel, session);
            send(channel, buffer, session);
            session.end();
        } catch (IOException failed) {
            throw new QPerfFailure("could not make UDP connection to server", failed.getMessage());
        }
    }

    @Override
    public void asServer(Session session) {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(new InetSocketAddress(port(session)));
            bufferSizes(channel, session);
            session.sendPort(channel.socket().getLocalPort(), "port");
            ByteBuffer buffer = begin(channel, session);
            receive(channel, buffer, session);
            session.end();
        } catch (IOException failed) {
            throw new QPerfFailure("unable to make UDP socket", failed.getMessage());
        }
    }

    private static ByteBuffer begin(DatagramChannel channel, Session session) {
        closeWhenStuck(channel, session);
        ByteBuffer buffer = buffer(session);
        session.begin();
        return buffer;
    }

    private void send(DatagramChannel channel, ByteBuffer buffer, Session session) {
        TestTimer timer = session.timer();
        Statistics statistics = session.statistics();
        while (!timer.isFinished()) {
            try {
                int bytes = channel.write(buffer.clear());
                if (timer.isFinished()) {
                    return;
                }
                statistics.sent.message(bytes);
            } catch (IOException failed) {
                statistics.sent.errors += timer.isFinished() ? 0 : 1;
                continue;
            }
            if (answering) {
                receiveOne(channel, buffer, session);
            }
        }
    }

    private static void receiveOne(DatagramChannel channel, ByteBuffer buffer, Session session) {
        try {
            int bytes = channel.read(buffer.clear());
            if (!session.timer().isFinished()) {
                session.statistics().received.message(bytes);
            }
        } catch (IOException failed) {
            session.statistics().received.errors += session.timer().isFinished() ? 0 : 1;
        }
    }

    private void receive(DatagramChannel channel, ByteBuffer buffer, Session session) {
        TestTimer timer = session.timer();
        Statistics statistics = session.statistics();
        boolean touching = session.request().isSet(Parameter.ACCESS_RECV);
        while (!timer.isFinished()) {
            SocketAddress sender;
            try {
                sender = channel.receive(buffer.clear());
            } catch (IOException failed) {
                statistics.received.errors += timer.isFinished() ? 0 : 1;
                continue;
            }
            if (timer.isFinished()) {
                return;
            }
            statistics.received.message(buffer.position());
            if (touching) {
                touched += touch(buffer.flip());
            }
            if (answering) {
                answer(channel, buffer, sender, session);
            }
        }
    }

    private static void answer(DatagramChannel channel, ByteBuffer buffer, SocketAddress to, Session session) {
        try {
            int bytes = channel.send(buffer.clear(), to);
            if (!session.timer().isFinished()) {
                session.statistics().sent.message(bytes);
            }
        } catch (IOException failed) {
            session.statistics().sent.errors += session.timer().isFinished() ? 0 : 1;
        }
    }
}
