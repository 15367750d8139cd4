// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;

/** One call of ucmatose. */
final class UcMatoseRun extends ClientServerRun {
    /** No RNR retries: all receives are posted before the connection exists. */
    private static final ConnectionParameters PARAMETERS = ConnectionParameters.DEFAULT.withReads(1, 1).withRetries(5, 0);

    private int disconnectsLeft;

    UcMatoseRun(TestOptions options, Console console) {
        super("cmatose", options, console);
    }

    @Override
    void server(CmId listener) {
        connectEvents();
        if (options.messageCount != 0) {
            say("initiating data transfers");
            nodes.forEach(TestNode::postSends);
            say("completing sends");
            pollSends();
            say("receiving data transfers");
            pollReceives();
            say("data transfers complete");
        }
        if (options.migrate) {
            EventChannel next = nextChannel();
            listener.migrate(next);
            migrate(next);
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

    @Override
    void client() {
        try {
            connectEvents();
            if (options.messageCount != 0) {
                say("receiving data transfers");
                pollReceives();
                say("sending replies");
                nodes.forEach(TestNode::postSends);
                say("data transfers complete");
            }
            if (options.migrate) {
                migrate(nextChannel());
            }
        } finally {
            disconnectEvents();
        }
    }

    @Override
    void connect(TestNode node) {
        node.setUpConnected();
        node.postReceives();
        node.id.connect(PARAMETERS);
    }

    @Override
    void accept(TestNode node) {
        node.setUpConnected();
        setAckTimeout(node);
        node.postReceives();
        node.id.accept();
    }

    @Override
    void handle(CmEvent event) {
        switch (event.type()) {
            case ESTABLISHED -> {
                node(event).connected = true;
                node(event).established = true;
                connectsLeft--;
                disconnectsLeft++;
            }
            case DISCONNECTED -> {
                TestNode node = node(event);
                node.disconnected = true;
                disconnect(event.id());
                if (!node.established) {
                    // The original waits for an event that does not come.
                    throw failed(event);
                }
                disconnectsLeft--;
            }
            default -> super.handle(event);
        }
    }

    private void disconnectEvents() {
        while (disconnectsLeft > 0) {
            nextEvent();
        }
    }

    private static void disconnect(CmId id) {
        try {
            id.disconnect();
        } catch (VerbsException alreadyDisconnected) {
            // Both ends disconnected at the same time.
        }
    }

    private EventChannel nextChannel() {
        say("migrating to new event channel");
        return manager.createEventChannel();
    }

    private void migrate(EventChannel next) {
        for (TestNode node : nodes) {
            node.id.migrate(next);
        }
        channel.close();
        channel = next;
    }
}
