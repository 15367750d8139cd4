// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.net.InetSocketAddress;
import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;

/** Test with a client, whose nodes connect to an address, and a server, whose nodes are the accepted requests. */
abstract class ClientServerRun extends CmTestRun {
    private static final int NO_MEMORY = -12;

    private int accepted;

    ClientServerRun(String prefix, TestOptions options, Console console) {
        super(prefix, options, console);
    }

    @Override
    final boolean isActive() {
        return options.isClient();
    }

    @Override
    final void test() {
        if (options.isClient()) {
            say(prefix + ": starting client");
            resolveAddresses();
            client();
        } else {
            say(prefix + ": starting server");
            try (CmId listener = listen()) {
                server(listener);
            }
        }
    }

    /** Runs the client's test; address resolution has started. */
    abstract void client();

    /** Runs the server's test; the listener is listening. */
    abstract void server(CmId listener);

    /** Makes the queue pair of a node that connects, and connects it. */
    abstract void connect(TestNode node);

    /** Makes the queue pair of a node whose identifier is a request's, and accepts the request. */
    abstract void accept(TestNode node);

    private void resolveAddresses() {
        InetSocketAddress source = options.sourceAddress(prefix + ": getaddrinfo error", console);
        InetSocketAddress destination = options.destinationAddress(prefix + ": getaddrinfo error", console);
        say(prefix + ": connecting");
        for (TestNode node : nodes) {
            try {
                node.id.resolveAddress(source, destination, RESOLVE_TIMEOUT_MS);
            } catch (VerbsException refused) {
                throw perror("failure getting addr", refused);
            }
        }
    }

    private CmId listen() {
        CmId listener = manager.createId(channel, this, options.space);
        try {
            InetSocketAddress address = options.passiveAddress(prefix + ": getrdmaaddr error", console);
            try {
                listener.bind(address);
            } catch (VerbsException refused) {
                throw perror("bind address failed", refused);
            }
            try {
                listener.listen(0);
            } catch (VerbsException refused) {
                throw perror("failure trying to listen", refused);
            }
            return listener;
        } catch (TestFailure failure) {
            listener.close();
            throw failure;
        }
    }

    // ---- events ----

    @Override
    void handle(CmEvent event) {
        switch (event.type()) {
            case ADDR_RESOLVED -> onAddress(node(event));
            case ROUTE_RESOLVED -> onRoute(node(event));
            case CONNECT_REQUEST -> onRequest(event.id());
            case ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED -> throw failed(event);
            default -> {
                // The original ignores the others.
            }
        }
    }

    private void onAddress(TestNode node) {
        if (options.tos >= 0) {
            node.id.typeOfService(options.tos);
        }
        setAckTimeout(node);
        try {
            node.id.resolveRoute(RESOLVE_TIMEOUT_MS);
        } catch (VerbsException refused) {
            throw perror("resolve route failed", refused);
        }
    }

    /** Sets the ACK timeout if the command line has one. A refusal is reported, and the test goes on. */
    final void setAckTimeout(TestNode node) {
        if (options.ackTimeout >= 0) {
            try {
                node.id.ackTimeout(options.ackTimeout);
            } catch (VerbsException refused) {
                TestFailure.warn(console, prefix + ": set ack timeout option failed", refused);
            }
        }
    }

    private void onRoute(TestNode node) {
        try {
            connect(node);
        } catch (VerbsException refused) {
            throw perror("failure connecting", refused);
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
            accept(node);
        } catch (TestFailure failure) {
            refuse(id);
            throw failure;
        } catch (VerbsException refused) {
            TestFailure failure = perror("failure accepting", refused);
            refuse(id);
            throw failure;
        }
    }

    private void refuse(CmId id) {
        say(prefix + ": failing connection request");
        try {
            id.reject(new byte[0]);
        } catch (VerbsException gone) {
            console.error(gone.getMessage());
        }
    }
}
