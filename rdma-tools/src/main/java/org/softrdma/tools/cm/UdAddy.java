// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** {@code udaddy}: the client looks up a server's queue pair, sends it datagrams, and gets as many back. */
public final class UdAddy implements Tool {
    private static final int RESOLVE_TIMEOUT_MS = 2000;
    private static final int NO_MEMORY = -12;
    private static final ConnectionParameters PARAMETERS = new ConnectionParameters(new byte[0], 0, 0, false, 0, 0, false, 0);

    @Override
    public int run(String name, List<String> arguments, Console console) {
        TestOptions options = parse(name, arguments, console);
        return options == null ? 1 : new Run(options, console).all() & 0xff;
    }

    private static TestOptions parse(String name, List<String> arguments, Console console) {
        TestOptions options = new TestOptions("7174", PortSpace.UDP);
        GetoptLong reader = new GetoptLong(name, "s:b:c:C:S:t:p:P:f:", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'p' -> options.space = PortSpace.of(CNumber.signed(reader.argument()));
                case 'f' -> TestOptions.addressFormat(reader.argument(), console);
                case 'P' -> {
                    String space = reader.argument().toLowerCase(Locale.ROOT);
                    if (space.startsWith("ipoib")) {
                        options.space = PortSpace.IPOIB;
                    } else if (!space.startsWith("udp")) {
                        console.error("Warning: unknown port space format");
                    }
                }
                default -> {
                    if (!options.take(option, reader.argument())) {
                        usage(name, console);
                        return null;
                    }
                }
            }
            if (options.space == null) {
                usage(name, console);
                return null;
            }
        }
        return options;
    }

    private static void usage(String name, Console console) {
        console.print("usage: " + name + "\n" + """
            \t[-s server_address]
            \t[-b bind_address]
            \t[-f address_format]
            \t    name, ip, ipv6, or gid
            \t[-P port_space]
            \t    udp or ipoib
            \t[-c connections]
            \t[-C message_count]
            \t[-S message_size]
            \t[-t type_of_service]
            \t[-p port_space - 0x111 for UDP (default), 0x2 for IPOIB]
            """);
    }

    private static final class Run {
        private final TestOptions options;
        private final Console console;
        private final ConnectionManager manager = ConnectionManager.get();
        private final EventChannel channel = FirstChannel.create(1);
        private final List<TestNode> nodes = new ArrayList<>();
        private int accepted;
        private int connectsLeft;

        Run(TestOptions options, Console console) {
            this.options = options;
            this.console = console;
            connectsLeft = options.connections;
        }

        /** @return the status, which is also printed */
        int all() {
            int status = 0;
            for (int i = 0; i < options.connections; i++) {
                TestNode node = new TestNode("udaddy", options, console);
                if (options.isClient()) {
                    node.id = manager.createId(channel, node, options.space);
                }
                nodes.add(node);
            }
            try {
                if (options.isClient()) {
                    client();
                } else {
                    server();
                }
            } catch (TestFailure failure) {
                status = failure.status();
            }
            say("test complete");
            nodes.forEach(TestNode::close);
            channel.close();
            say("return status " + status);
            return status;
        }

        private void say(String line) {
            console.println(line);
            console.out().flush();
        }

        private void connectEvents() {
            while (connectsLeft > 0) {
                CmEvent event = channel.getEvent(-1);
                try {
                    handle(event);
                } finally {
                    event.ack();
                }
            }
        }

        private void handle(CmEvent event) {
            switch (event.type()) {
                case ADDR_RESOLVED -> onAddress((TestNode) event.id().context());
                case ROUTE_RESOLVED -> onRoute((TestNode) event.id().context());
                case CONNECT_REQUEST -> onRequest(event.id());
                case ESTABLISHED -> onTarget((TestNode) event.id().context(), event.datagram());
                case ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED -> {
                    say("udaddy: event: " + event.type().text() + ", error: " + event.status());
                    connectsLeft--;
                    throw new TestFailure(event.status());
                }
                default -> {
                    // Of no concern.
                }
            }
        }

        private void onAddress(TestNode node) {
            if (options.tos >= 0) {
                node.id.typeOfService(options.tos);
            }
            try {
                node.id.resolveRoute(RESOLVE_TIMEOUT_MS);
            } catch (VerbsException refused) {
                connectsLeft--;
                throw TestFailure.perror(console, "udaddy: resolve route failed", refused);
            }
        }

        private void setUp(TestNode node) {
            UdMessages.checkSize(node, options, console);
            node.setUpDatagrams();
            node.postReceives();
        }

        private void onRoute(TestNode node) {
            try {
                setUp(node);
                node.id.connect(PARAMETERS);
            } catch (TestFailure failure) {
                connectsLeft--;
                throw failure;
            } catch (VerbsException refused) {
                connectsLeft--;
                throw TestFailure.perror(console, "udaddy: failure connecting", refused);
            }
        }

        private void onRequest(CmId id) {
            if (accepted == options.connections) {
                refuse(id);
                id.close();
                throw new TestFailure(NO_MEMORY);
            }
            TestNode node = nodes.get(accepted++);
            node.id = id;
            id.context(node);
            try {
                setUp(node);
                id.accept(PARAMETERS.withQp(id.qp().qpNum(), false));
            } catch (TestFailure failure) {
                connectsLeft--;
                refuse(id);
                throw failure;
            } catch (VerbsException refused) {
                connectsLeft--;
                TestFailure failure = TestFailure.perror(console, "udaddy: failure accepting", refused);
                refuse(id);
                throw failure;
            }
            node.connected = true;
            connectsLeft--;
        }

        private void refuse(CmId id) {
            say("udaddy: failing connection request");
            try {
                id.reject(new byte[0]);
            } catch (VerbsException gone) {
                console.error(gone.getMessage());
            }
        }

        private void onTarget(TestNode node, DatagramParameters target) {
            node.remoteQpn = target.qpNum();
            node.remoteQkey = target.qkey();
            connectsLeft--;
            try {
                node.handle = node.pd().createAh(target.addressVector());
            } catch (VerbsException refused) {
                say("udaddy: failure creating address handle");
                console.error(refused.getMessage());
                throw new TestFailure(-1);
            }
            node.connected = true;
        }

        private void server() {
            say("udaddy: starting server");
            try (CmId listener = manager.createId(channel, this, options.space)) {
                InetSocketAddress address = options.passiveAddress("udaddy: getrdmaaddr error", console);
                try {
                    listener.bind(address);
                } catch (VerbsException refused) {
                    throw TestFailure.perror(console, "udaddy: bind address failed", refused);
                }
                try {
                    listener.listen(0);
                } catch (VerbsException refused) {
                    throw TestFailure.perror(console, "udaddy: failure trying to listen", refused);
                }
                connectEvents();
                if (options.messageCount != 0) {
                    say("receiving data transfers");
                    nodes.forEach(TestNode::pollReceives);
                    say("sending replies");
                    for (TestNode node : nodes) {
                        node.postSends(UdMessages.request(node).flags(SendFlags.SIGNALED));
                    }
                    nodes.forEach(TestNode::pollSends);
                    say("data transfers complete");
                }
            }
        }

        private void client() {
            say("udaddy: starting client");
            InetSocketAddress source = options.sourceAddress("udaddy: getaddrinfo error", console);
            InetSocketAddress destination = options.destinationAddress("udaddy: getaddrinfo error", console);
            say("udaddy: connecting");
            for (TestNode node : nodes) {
                try {
                    node.id.resolveAddress(source, destination, RESOLVE_TIMEOUT_MS);
                } catch (VerbsException refused) {
                    throw TestFailure.perror(console, "udaddy: failure getting addr", refused);
                }
            }
            connectEvents();
            if (options.messageCount != 0) {
                say("initiating data transfers");
                for (TestNode node : nodes) {
                    node.postSends(UdMessages.request(node));
                }
                say("receiving data transfers");
                nodes.forEach(TestNode::pollReceives);
                say("data transfers complete");
            }
        }
    }
}
