// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** {@code cmtime}: how long each step of connecting takes, with many connections at once. The server runs until it is ended. */
public final class CmTime implements Tool {
    private static final int DEFAULT_CONNECTIONS = 100;
    private static final int DEFAULT_RETRIES = 2;
    private static final int DEFAULT_TIMEOUT_MS = 2000;

    /** The steps in the order of the table. */
    private enum Step {
        CREATE_ID("create id"),
        BIND("bind addr"),
        RESOLVE_ADDRESS("resolve addr"),
        RESOLVE_ROUTE("resolve route"),
        CREATE_QP("create qp"),
        CONNECT("connect"),
        DISCONNECT("disconnect"),
        DESTROY("destroy");

        private final String text;

        Step(String text) {
            this.text = text;
        }
    }

    private final TestOptions options = new TestOptions("7471", PortSpace.TCP);
    private int retries = DEFAULT_RETRIES;
    private int timeoutMs = DEFAULT_TIMEOUT_MS;

    @Override
    public int run(String name, List<String> arguments, Console console) {
        options.connections = DEFAULT_CONNECTIONS;
        GetoptLong reader = new GetoptLong(name, "s:b:c:p:r:t:", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 's', 'b', 'c' -> options.take(option, reader.argument());
                case 'p' -> options.port = reader.argument();
                case 'r' -> retries = CNumber.decimal(reader.argument());
                case 't' -> timeoutMs = CNumber.decimal(reader.argument());
                default -> {
                    console.print("usage: " + name + "\n\t[-s server_address]\n\t[-b bind_address]\n\t[-c connections]\n"
                        + "\t[-p port_number]\n\t[-r retries]\n\t[-t timeout_ms]\n");
                    return 1;
                }
            }
        }
        try (EventChannel channel = FirstChannel.create(1)) {
            if (options.isClient()) {
                return new Client(channel, console).run() & 0xff;
            }
            serve(channel, console);
            return 0;
        } catch (TestFailure failure) {
            return failure.status() & 0xff;
        }
    }

    private static QpInitAttributes queuePair() {
        return new QpInitAttributes(QpType.RC, null, null, null, new QpCapabilities(1, 1, 1, 1, 0), false);
    }

    // ---- server ----

    private void serve(EventChannel channel, Console console) {
        ConnectionManager manager = ConnectionManager.get();
        try (CmId listener = manager.createId(channel, null, options.space);
             ExecutorService requests = Executors.newSingleThreadExecutor();
             ExecutorService disconnects = Executors.newSingleThreadExecutor()) {
            InetSocketAddress address = options.passiveAddress("getrdmaaddr error", console);
            try {
                listener.bind(address);
            } catch (VerbsException refused) {
                throw TestFailure.perror(console, "bind address failed", refused);
            }
            try {
                listener.listen(0);
            } catch (VerbsException refused) {
                throw TestFailure.perror(console, "failure trying to listen", refused);
            }
            while (true) {
                CmEvent event = channel.getEvent(-1);
                CmId id = event.id();
                switch (event.type()) {
                    case CONNECT_REQUEST -> requests.execute(() -> accept(id, console));
                    case DISCONNECTED -> disconnects.execute(() -> end(id));
                    case CONNECT_ERROR, UNREACHABLE, REJECTED -> {
                        console.print("event: " + event.type().text() + ", error: " + event.status() + "\n");
                        disconnects.execute(id::close);
                    }
                    default -> {
                        // Of no concern.
                    }
                }
                event.ack();
            }
        } catch (VerbsException ended) {
            if (ended.errno() != Errno.EINTR) {
                throw TestFailure.perror(console, "failure in rdma_get_cm_event in process_server_events", ended);
            }
        }
    }

    private static void accept(CmId id, Console console) {
        try {
            id.createQp(null, queuePair());
            id.accept();
        } catch (VerbsException refused) {
            TestFailure.warn(console, id.qp() == null ? "failure creating qp" : "failure accepting", refused);
            console.print("failing connection request\n");
            console.out().flush();
            id.close();
        }
    }

    private static void end(CmId id) {
        try {
            id.disconnect();
        } catch (VerbsException already) {
            // Closing says what is left to say.
            assert already.errno() != null;
        }
        id.close();
    }

    // ---- client ----

    /** One connection and when its steps began and ended; 0 for never. */
    private static final class Node {
        private final long[] beganNs = new long[Step.values().length];
        private final long[] endedNs = new long[Step.values().length];
        private CmId id;
        private volatile boolean failed;
        private int retries;
    }

    private final class Client {
        private final EventChannel channel;
        private final Console console;
        private final Node[] nodes = new Node[options.connections];
        private final long[] beganNs = new long[Step.values().length];
        private final long[] endedNs = new long[Step.values().length];
        /** A permit for each operation that has ended. */
        private final Semaphore ended = new Semaphore(0);
        private InetSocketAddress source;
        private InetSocketAddress destination;

        Client(EventChannel channel, Console console) {
            this.channel = channel;
            this.console = console;
        }

        int run() {
            ConnectionManager manager = ConnectionManager.get();
            Arrays.setAll(nodes, i -> new Node());
            step(Step.CREATE_ID, "creating id", false, null,
                node -> node.id = manager.createId(channel, node, options.space));
            Thread events = Thread.ofPlatform().daemon().name("cmtime-events").start(this::takeEvents);
            int status = 0;
            try {
                connectAll();
            } catch (TestFailure failure) {
                status = failure.status();
            }
            step(Step.DESTROY, "destroying id", false, null, node -> node.id.close());
            events.interrupt();
            join(events);
            show();
            return status;
        }

        private static void join(Thread thread) {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private void connectAll() {
            source = options.sourceAddress("getaddrinfo error", console);
            destination = options.destinationAddress("getaddrinfo error", console);
            ConnectionParameters parameters = new ConnectionParameters(new byte[0], 1, 1, false, retries, 0, false, 0);
            if (source != null) {
                step(Step.BIND, "binding source address", false, "failure bind addr", node -> node.id.bind(source));
            }
            step(Step.RESOLVE_ADDRESS, "resolving address", true, "failure getting addr",
                node -> node.id.resolveAddress(source, destination, timeoutMs));
            step(Step.RESOLVE_ROUTE, "resolving route", true, "failure resolving route", node -> node.id.resolveRoute(timeoutMs));
            step(Step.CREATE_QP, "creating qp", false, "failure creating qp", node -> node.id.createQp(null, queuePair()));
            step(Step.CONNECT, "connecting", true, "failure rconnecting", node -> node.id.connect(parameters));
            step(Step.DISCONNECT, "disconnecting", true, "failure disconnecting", node -> {
                node.id.disconnect();
                node.id.destroyQp();
            });
        }

        /**
         * One step of all connections.
         *
         * @param byEvent it ends with an event, not with the call
         * @param failure what is said of one that fails; null: none is left out, and none fails
         */
        private void step(Step step, String title, boolean byEvent, String failure, Consumer<Node> call) {
            console.println(title);
            console.out().flush();
            int begun = 0;
            beganNs[step.ordinal()] = System.nanoTime();
            for (Node node : nodes) {
                if (failure != null && node.failed) {
                    continue;
                }
                node.retries = retries;
                node.beganNs[step.ordinal()] = System.nanoTime();
                try {
                    call.accept(node);
                    begun++;
                    if (!byEvent) {
                        node.endedNs[step.ordinal()] = System.nanoTime();
                    }
                } catch (VerbsException refused) {
                    TestFailure.warn(console, failure, refused);
                    node.failed = true;
                }
            }
            if (byEvent) {
                ended.acquireUninterruptibly(begun);
            }
            endedNs[step.ordinal()] = System.nanoTime();
        }

        private void takeEvents() {
            try {
                while (true) {
                    CmEvent event = channel.getEvent(-1);
                    handle(event, (Node) event.id().context());
                    event.ack();
                }
            } catch (VerbsException over) {
                if (over.errno() != Errno.EINTR) {
                    console.error(over.getMessage());
                }
            }
        }

        private void handle(CmEvent event, Node node) {
            switch (event.type()) {
                case ADDR_RESOLVED -> end(node, Step.RESOLVE_ADDRESS);
                case ROUTE_RESOLVED -> end(node, Step.RESOLVE_ROUTE);
                case ESTABLISHED -> end(node, Step.CONNECT);
                case DISCONNECTED -> end(node, Step.DISCONNECT);
                case ADDR_ERROR -> {
                    if (node.retries-- > 0) {
                        node.id.resolveAddress(source, destination, timeoutMs);
                    } else {
                        fail(node, "RDMA_CM_EVENT_ADDR_ERROR, error: " + event.status());
                    }
                }
                case ROUTE_ERROR -> fail(node, "RDMA_CM_EVENT_ROUTE_ERROR, error: " + event.status());
                case CONNECT_ERROR, UNREACHABLE, REJECTED ->
                    fail(node, "event: " + event.type().text() + ", error: " + event.status());
                default -> {
                    // Of no concern.
                }
            }
        }

        private void end(Node node, Step step) {
            node.endedNs[step.ordinal()] = System.nanoTime();
            ended.release();
        }

        private void fail(Node node, String message) {
            console.print(message + "\n");
            node.failed = true;
            ended.release();
        }

        private void show() {
            console.println("step              total ms     max ms     min us  us / conn");
            for (Step step : Step.values()) {
                if (step == Step.BIND && source == null) {
                    continue;
                }
                int i = step.ordinal();
                double longestUs = 0;
                double shortestUs = 999999999.;
                for (Node node : nodes) {
                    if (node.beganNs[i] != 0 && node.endedNs[i] != 0) {
                        double us = (node.endedNs[i] - node.beganNs[i]) / 1e3;
                        longestUs = Math.max(longestUs, us);
                        shortestUs = Math.min(shortestUs, us);
                    }
                }
                double totalUs = (endedNs[i] - beganNs[i]) / 1e3;
                console.printf("%-13s: %11.2f%11.2f%11.2f%11.2f\n", step.text, totalUs / 1e3, longestUs / 1e3, shortestUs,
                    totalUs / nodes.length);
            }
        }
    }
}
