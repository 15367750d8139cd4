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
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** {@code ucmatose}: connections that the server sends its messages on, the client answers with its own, and the server ends. */
public final class UcMatose implements Tool {
    private static final int RESOLVE_TIMEOUT_MS = 2000;
    private static final int NO_MEMORY = -12;
    /** A peer that has posted no receive makes the connection fail: all are posted before it exists. */
    private static final ConnectionParameters PARAMETERS = new ConnectionParameters(new byte[0], 1, 1, false, 5, 0, false, 0);

    @Override
    public int run(String name, List<String> arguments, Console console) {
        TestOptions options = parse(name, arguments, console);
        return options == null ? 1 : new Run(options, console).all() & 0xff;
    }

    private static TestOptions parse(String name, List<String> arguments, Console console) {
        TestOptions options = new TestOptions("7471", PortSpace.TCP);
        GetoptLong reader = new GetoptLong(name, "s:b:f:P:c:C:S:t:p:a:m", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'p' -> options.port = reader.argument();
                case 'm' -> options.migrate = true;
                case 'a' -> options.ackTimeout = CNumber.unsigned(reader.argument()) & 0xff;
                case 'f' -> TestOptions.addressFormat(reader.argument(), console);
                case 'P' -> portSpace(options, reader.argument().toLowerCase(Locale.ROOT), console);
                default -> {
                    if (!options.take(option, reader.argument())) {
                        usage(name, console);
                        return null;
                    }
                }
            }
        }
        return options;
    }

    private static void portSpace(TestOptions options, String space, Console console) {
        if (space.startsWith("ib")) {
            options.space = PortSpace.IB;
        } else if (!space.startsWith("tcp")) {
            console.error("Warning: unknown port space format");
        }
    }

    private static void usage(String name, Console console) {
        console.print("usage: " + name + "\n" + """
            \t[-s server_address]
            \t[-b bind_address]
            \t[-f address_format]
            \t    name, ip, ipv6, or gid
            \t[-P port_space]
            \t    tcp or ib
            \t[-c connections]
            \t[-C message_count]
            \t[-S message_size]
            \t[-t type_of_service]
            \t[-p port_number]
            \t[-m(igrate)]
            \t[-a ack_timeout]
            """);
    }

    private static final class Run {
        private final TestOptions options;
        private final Console console;
        private final ConnectionManager manager = ConnectionManager.get();
        private final List<TestNode> nodes = new ArrayList<>();
        private EventChannel channel = FirstChannel.create(1);
        private int accepted;
        private int connectsLeft;
        private int disconnectsLeft;

        Run(TestOptions options, Console console) {
            this.options = options;
            this.console = console;
            connectsLeft = options.connections;
        }

        /** @return the status, which is also printed */
        int all() {
            for (int i = 0; i < options.connections; i++) {
                TestNode node = new TestNode("cmatose", options, console);
                if (options.isClient()) {
                    node.id = manager.createId(channel, node, options.space);
                }
                nodes.add(node);
            }
            int status = 0;
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

        // ---- events ----

        private void connectEvents() {
            while (connectsLeft > 0) {
                next();
            }
        }

        private void disconnectEvents() {
            while (disconnectsLeft > 0) {
                next();
            }
        }

        private void next() {
            CmEvent event = channel.getEvent(-1);
            try {
                handle(event);
            } finally {
                event.ack();
            }
        }

        private void handle(CmEvent event) {
            switch (event.type()) {
                case ADDR_RESOLVED -> onAddress((TestNode) event.id().context());
                case ROUTE_RESOLVED -> onRoute((TestNode) event.id().context());
                case CONNECT_REQUEST -> onRequest(event.id());
                case ESTABLISHED -> {
                    ((TestNode) event.id().context()).connected = true;
                    connectsLeft--;
                    disconnectsLeft++;
                }
                case ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED -> {
                    say("cmatose: event: " + event.type().text() + ", error: " + event.status());
                    connectsLeft--;
                    throw new TestFailure(event.status());
                }
                case DISCONNECTED -> {
                    disconnect(event.id());
                    disconnectsLeft--;
                }
                default -> {
                    // Of no concern.
                }
            }
        }

        private static void disconnect(CmId id) {
            try {
                id.disconnect();
            } catch (VerbsException already) {
                // Both disconnected at the same time.
                assert already.errno() != null;
            }
        }

        private void setTimeout(TestNode node) {
            if (options.ackTimeout >= 0) {
                try {
                    node.id.ackTimeout(options.ackTimeout);
                } catch (VerbsException refused) {
                    TestFailure.warn(console, "cmatose: set ack timeout option failed", refused);
                }
            }
        }

        private void onAddress(TestNode node) {
            if (options.tos >= 0) {
                node.id.typeOfService(options.tos);
            }
            setTimeout(node);
            try {
                node.id.resolveRoute(RESOLVE_TIMEOUT_MS);
            } catch (VerbsException refused) {
                connectsLeft--;
                throw TestFailure.perror(console, "cmatose: resolve route failed", refused);
            }
        }

        private void onRoute(TestNode node) {
            try {
                node.setUpConnected();
                node.postReceives();
                node.id.connect(PARAMETERS);
            } catch (TestFailure failure) {
                connectsLeft--;
                throw failure;
            } catch (VerbsException refused) {
                connectsLeft--;
                throw TestFailure.perror(console, "cmatose: failure connecting", refused);
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
                node.setUpConnected();
                setTimeout(node);
                node.postReceives();
                id.accept();
            } catch (TestFailure failure) {
                connectsLeft--;
                refuse(id);
                throw failure;
            } catch (VerbsException refused) {
                connectsLeft--;
                TestFailure failure = TestFailure.perror(console, "cmatose: failure accepting", refused);
                refuse(id);
                throw failure;
            }
        }

        private void refuse(CmId id) {
            say("cmatose: failing connection request");
            try {
                id.reject(new byte[0]);
            } catch (VerbsException gone) {
                console.error(gone.getMessage());
            }
        }

        // ---- the two sides ----

        private void server() {
            say("cmatose: starting server");
            try (CmId listener = manager.createId(channel, this, options.space)) {
                InetSocketAddress address = options.passiveAddress("cmatose: getrdmaaddr error", console);
                try {
                    listener.bind(address);
                } catch (VerbsException refused) {
                    throw TestFailure.perror(console, "cmatose: bind address failed", refused);
                }
                try {
                    listener.listen(0);
                } catch (VerbsException refused) {
                    throw TestFailure.perror(console, "cmatose: failure trying to listen", refused);
                }
                connectEvents();
                if (options.messageCount != 0) {
                    say("initiating data transfers");
                    nodes.forEach(TestNode::postSends);
                    say("completing sends");
                    nodes.forEach(TestNode::pollSends);
                    say("receiving data transfers");
                    nodes.forEach(TestNode::pollReceives);
                    say("data transfers complete");
                }
                if (options.migrate) {
                    migrate(listener);
                }
                say("cmatose: disconnecting");
                for (TestNode node : nodes) {
                    if (node.connected) {
                        node.connected = false;
                        disconnect(node.id);
                    }
                }
                try {
                    disconnectEvents();
                } finally {
                    say("disconnected");
                }
            }
        }

        private void client() {
            say("cmatose: starting client");
            InetSocketAddress source = options.sourceAddress("cmatose: getaddrinfo error", console);
            InetSocketAddress destination = options.destinationAddress("cmatose: getaddrinfo error", console);
            say("cmatose: connecting");
            for (TestNode node : nodes) {
                try {
                    node.id.resolveAddress(source, destination, RESOLVE_TIMEOUT_MS);
                } catch (VerbsException refused) {
                    throw TestFailure.perror(console, "cmatose: failure getting addr", refused);
                }
            }
            try {
                connectEvents();
                if (options.messageCount != 0) {
                    say("receiving data transfers");
                    nodes.forEach(TestNode::pollReceives);
                    say("sending replies");
                    nodes.forEach(TestNode::postSends);
                    say("data transfers complete");
                }
                if (options.migrate) {
                    migrate(null);
                }
            } finally {
                disconnectEvents();
            }
        }

        private void migrate(CmId listener) {
            say("migrating to new event channel");
            EventChannel next = manager.createEventChannel();
            if (listener != null) {
                listener.migrate(next);
            }
            for (TestNode node : nodes) {
                node.id.migrate(next);
            }
            channel.close();
            channel = next;
        }
    }
}
