// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Sets up and ends as many TCP connections in plain Java, with the host's own TCP in its kernel. */
final class TcpConnections {
    /** The kernel's usual bound. */
    private static final int BACKLOG = 4096;

    private final int count;
    private final int warmCount;

    TcpConnections(Settings settings) {
        count = settings.number("count", 5000);
        warmCount = settings.number("warmCount", 1000);
    }

    void client(Control control) throws IOException {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), control.in.readInt());
        round(control, server, warmCount);
        long beganNs = System.nanoTime();
        List<SocketChannel> channels = connect(control, server, count);
        long connectedNs = System.nanoTime();
        end(control, channels);
        long endedNs = System.nanoTime();
        Report.value("count", count);
        Report.value("kcps.setup", count * 1e6 / (connectedNs - beganNs));
        Report.value("kcps.connect", count * 1e6 / (connectedNs - beganNs));
        Report.value("kcps.end", count * 1e6 / (endedNs - connectedNs));
        control.send(0);
    }

    private static void round(Control control, InetSocketAddress server, int connections) throws IOException {
        end(control, connect(control, server, connections));
    }

    /** All there, at both ends. */
    private static List<SocketChannel> connect(Control control, InetSocketAddress server, int connections) throws IOException {
        control.send(connections);
        List<SocketChannel> channels = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            channels.add(SocketChannel.open(server));
        }
        control.in.readInt();
        return channels;
    }

    /** All closed, at both ends. */
    private static void end(Control control, List<SocketChannel> channels) throws IOException {
        for (SocketChannel each : channels) {
            each.close();
        }
        control.in.readInt();
    }

    void server(Control control) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
            control.send(((InetSocketAddress) listener.getLocalAddress()).getPort());
            for (int connections = control.in.readInt(); connections > 0; connections = control.in.readInt()) {
                List<SocketChannel> channels = new ArrayList<>();
                for (int i = 0; i < connections; i++) {
                    channels.add(listener.accept());
                }
                control.send(0);
                channels.forEach(TcpConnections::awaitEnd);
                control.send(0);
            }
        }
    }

    private static void awaitEnd(SocketChannel channel) {
        try (channel) {
            while (channel.read(ByteBuffer.allocate(1)) >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
