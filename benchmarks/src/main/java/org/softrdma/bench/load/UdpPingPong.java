// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * Ping-pong over plain Java UDP: a datagram each way on NIO channels, without any protocol. {@code mode=spin} never sleeps,
 * {@code mode=block} blocks in receive.
 */
final class UdpPingPong {
    private static final byte LAST = 1;

    private final Settings settings;
    private final boolean spins;
    private final int size;
    private final ByteBuffer buffer;

    UdpPingPong(Settings settings) {
        this.settings = settings;
        spins = settings.text("mode", "spin").equals("spin");
        size = settings.number("size", 64);
        buffer = ByteBuffer.allocateDirect(size);
    }

    private DatagramChannel open(Control control) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        DatagramChannel channel = DatagramChannel.open();
        channel.bind(new InetSocketAddress(loopback, 0));
        control.send(((InetSocketAddress) channel.getLocalAddress()).getPort());
        SocketAddress peer = new InetSocketAddress(loopback, control.in.readInt());
        channel.connect(peer);
        channel.configureBlocking(!spins);
        control.send(0);
        control.in.readInt();
        return channel;
    }

    private void send(DatagramChannel channel, byte mark) throws IOException {
        buffer.clear();
        buffer.put(0, mark);
        while (channel.write(buffer) == 0) {
            Thread.onSpinWait();
        }
    }

    private byte receive(DatagramChannel channel) throws IOException {
        buffer.clear();
        while (channel.read(buffer) == 0) {
            Thread.onSpinWait();
        }
        return buffer.get(0);
    }

    void client(Control control) throws IOException {
        try (DatagramChannel channel = open(control)) {
            RoundTrips trips = new RoundTrips();
            trips.run(settings, () -> {
                send(channel, (byte) 0);
                receive(channel);
            });
            send(channel, LAST);
            receive(channel);
            trips.reportLatency();
        }
    }

    void server(Control control) throws IOException {
        try (DatagramChannel channel = open(control)) {
            byte mark;
            do {
                mark = receive(channel);
                send(channel, mark);
            } while (mark != LAST);
        }
    }
}
