// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;

/**
 * One measuring process: {@code Load server KIND key=value…} or {@code Load client KIND port=N key=value…}, or
 * {@code Load flood key=value…} beside them. Prints {@code @ key value} lines. Ends with status 0 only if everything was measured.
 */
public final class Load {
    private interface Half {
        void run(Control control) throws IOException;
    }

    private Load() {
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("flood")) {
            new Flood(new Settings(arguments, 1)).run();
            return;
        }
        boolean server = arguments[0].equals("server");
        Settings settings = new Settings(arguments, 2);
        Half half = half(arguments[1], server, settings);
        try (Control control = server ? Control.accept() : Control.connect(settings.number("port", 0))) {
            half.run(control);
        }
        // Devices linger for peers that still ask; nobody does here.
        System.out.flush();
        System.exit(0);
    }

    private static Half half(String kind, boolean server, Settings settings) {
        return switch (kind) {
            case "bandwidth" -> server ? new Bandwidth(settings)::server : new Bandwidth(settings)::client;
            case "pingpong" -> server ? new PingPong(settings)::server : new PingPong(settings)::client;
            case "qps" -> server ? new QueuePairs(settings)::server : new QueuePairs(settings)::client;
            case "datagrams" -> server ? new Datagrams(settings)::server : new Datagrams(settings)::client;
            case "srq" -> server ? new SharedReceives(settings)::server : new SharedReceives(settings)::client;
            case "idle" -> server ? new IdleQueuePairs(settings)::server : new IdleQueuePairs(settings)::client;
            case "regions" -> server ? new Regions(settings)::server : new Regions(settings)::client;
            case "udp-pingpong" -> server ? new UdpPingPong(settings)::server : new UdpPingPong(settings)::client;
            case "tcp-pingpong" -> server ? new TcpPingPong(settings)::server : new TcpPingPong(settings)::client;
            case "connections" -> server ? new Connections(settings)::server : new Connections(settings)::client;
            case "tcp-connections" -> server ? new TcpConnections(settings)::server : new TcpConnections(settings)::client;
            case "nfs" -> server ? new NfsCalls(settings)::server : new NfsCalls(settings)::client;
            case "ceiling" -> server ? new Ceiling(settings)::server : new Ceiling(settings)::client;
            default -> throw new IllegalArgumentException("no load named " + kind);
        };
    }
}
