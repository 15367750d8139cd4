// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Worker;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;

/** Client of cmtime: takes all connections through one step after the other, and measures each step. */
final class CmTimeClient {
    private static final int STEPS = CmTimeStep.values().length;

    /** One connection. */
    private static final class Node {
        /** When each step began and ended, by {@link System#nanoTime}; 0 for never. */
        private final long[] beganNs = new long[STEPS];
        private final long[] endedNs = new long[STEPS];
        private CmId id;
        private volatile boolean failed;
        private int retries;
    }

    private final CmTimeOptions options;
    private final EventChannel channel;
    private final Console console;
    private final Node[] nodes;
    private final long[] beganNs = new long[STEPS];
    private final long[] endedNs = new long[STEPS];
    /** A permit for each operation that an event has ended. */
    private final Semaphore ended = new Semaphore(0);
    private InetSocketAddress source;
    private InetSocketAddress destination;

    CmTimeClient(CmTimeOptions options, EventChannel channel, Console console) {
        this.options = options;
        this.channel = channel;
        this.console = console;
        nodes = new Node[options.common.connections];
    }

    /** @return the status */
    int run() {
        ConnectionManager manager = ConnectionManager.get();
        Arrays.setAll(nodes, i -> new Node());
        call(CmTimeStep.CREATE_ID, node -> node.id = manager.createId(channel, node, options.common.space));
        Worker events = Worker.start("cmtime-events", this::takeEvents);
        int status = 0;
        try {
            connectAll();
        } catch (TestFailure failure) {
            status = failure.status();
        }
        call(CmTimeStep.DESTROY, node -> node.id.close());
        events.interrupt();
        events.join();
        show();
        return status;
    }

    private void connectAll() {
        source = options.common.sourceAddress("getaddrinfo error", console);
        destination = options.common.destinationAddress("getaddrinfo error", console);
        ConnectionParameters parameters = ConnectionParameters.DEFAULT.withReads(1, 1).withRetries(options.retries, 0);
        if (source != null) {
            call(CmTimeStep.BIND, node -> node.id.bind(source));
        }
        callAndAwait(CmTimeStep.RESOLVE_ADDRESS, node -> node.id.resolveAddress(source, destination, options.timeoutMs));
        callAndAwait(CmTimeStep.RESOLVE_ROUTE, node -> node.id.resolveRoute(options.timeoutMs));
        call(CmTimeStep.CREATE_QP, node -> node.id.createQp(null, CmTime.queuePair()));
        callAndAwait(CmTimeStep.CONNECT, node -> node.id.connect(parameters));
        callAndAwait(CmTimeStep.DISCONNECT, node -> {
            node.id.disconnect();
            node.id.destroyQp();
        });
    }

    /** Runs a step that ends with its call. */
    private void call(CmTimeStep step, Consumer<Node> call) {
        begin(step);
        callAll(step, node -> {
            call.accept(node);
            node.endedNs[step.ordinal()] = System.nanoTime();
        });
        endedNs[step.ordinal()] = System.nanoTime();
    }

    /** Runs a step that ends with an event. */
    private void callAndAwait(CmTimeStep step, Consumer<Node> call) {
        begin(step);
        ended.acquireUninterruptibly(callAll(step, call));
        endedNs[step.ordinal()] = System.nanoTime();
    }

    private void begin(CmTimeStep step) {
        console.println(step.title);
        console.out().flush();
        beganNs[step.ordinal()] = System.nanoTime();
    }

    /** @return successful calls */
    private int callAll(CmTimeStep step, Consumer<Node> call) {
        int begun = 0;
        for (Node node : nodes) {
            if (step.failure != null && node.failed) {
                continue;
            }
            node.retries = options.retries;
            node.beganNs[step.ordinal()] = System.nanoTime();
            try {
                call.accept(node);
                begun++;
            } catch (VerbsException refused) {
                TestFailure.warn(console, step.failure, refused);
                node.failed = true;
            }
        }
        return begun;
    }

    // ---- events ----

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
            case ADDR_RESOLVED -> end(node, CmTimeStep.RESOLVE_ADDRESS);
            case ROUTE_RESOLVED -> end(node, CmTimeStep.RESOLVE_ROUTE);
            case ESTABLISHED -> end(node, CmTimeStep.CONNECT);
            case DISCONNECTED -> end(node, CmTimeStep.DISCONNECT);
            case ADDR_ERROR -> {
                if (node.retries-- > 0) {
                    node.id.resolveAddress(source, destination, options.timeoutMs);
                } else {
                    fail(node, "RDMA_CM_EVENT_ADDR_ERROR, error: " + event.status(), event);
                }
            }
            case ROUTE_ERROR -> fail(node, "RDMA_CM_EVENT_ROUTE_ERROR, error: " + event.status(), event);
            case CONNECT_ERROR, UNREACHABLE, REJECTED ->
                fail(node, "event: " + event.type().text() + ", error: " + event.status(), event);
            default -> {
                // The original ignores the others.
            }
        }
    }

    private void end(Node node, CmTimeStep step) {
        node.endedNs[step.ordinal()] = System.nanoTime();
        ended.release();
    }

    private void fail(Node node, String message, CmEvent event) {
        console.print(message + "\n");
        EventCause.print(event, console);
        node.failed = true;
        ended.release();
    }

    // ---- the table ----

    private void show() {
        console.println("step              total ms     max ms     min us  us / conn");
        for (CmTimeStep step : CmTimeStep.values()) {
            if (step != CmTimeStep.BIND || source != null) {
                show(step);
            }
        }
    }

    private void show(CmTimeStep step) {
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
        console.printf("%-13s: %11.2f%11.2f%11.2f%11.2f\n", step.label, totalUs / 1e3, longestUs / 1e3, shortestUs,
            totalUs / nodes.length);
    }
}
