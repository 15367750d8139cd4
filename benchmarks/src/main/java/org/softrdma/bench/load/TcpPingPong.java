// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Ping-pong over plain Java TCP: as many bytes each way on NIO channels, without any protocol. {@code mode=spin} never sleeps,
 * {@code mode=block} blocks in read.
 */
final class TcpPingPong {
    private static final byte LAST = 1;

    private final Settings settings;
    private final boolean spins;
    private final ByteBuffer buffer;

    TcpPingPong(Settings settings) {
        this.settings = settings;
        spins = settings.text("mode", "spin").equals("spin");
        buffer = ByteBuffer.allocateDirect(settings.number("size", 64));
    }

    private SocketChannel ready(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(!spins);
        return channel;
    }

    private void send(SocketChannel channel, byte mark) throws IOException {
        buffer.clear();
        buffer.put(0, mark);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private byte receive(SocketChannel channel) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("the other end left");
            }
            Thread.onSpinWait();
        }
        return buffer.get(0);
    }

    void client(Control control) throws IOException {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), control.in.readInt());
        try (SocketChannel channel = ready(SocketChannel.open(server))) {
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
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            control.send(((InetSocketAddress) listener.getLocalAddress()).getPort());
            try (SocketChannel channel = ready(listener.accept())) {
                byte mark;
                do {
                    mark = receive(channel);
                    send(channel, mark);
                } while (mark != LAST);
            }
        }
    }
}
