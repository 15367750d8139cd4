// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/** One call of udaddy. */
final class UdAddyRun extends ClientServerRun {
    private static final ConnectionParameters PARAMETERS = ConnectionParameters.DEFAULT.withReads(0, 0).withRetries(0, 0);

    UdAddyRun(TestOptions options, Console console) {
        super("udaddy", options, console);
    }

    @Override
    void server(CmId listener) {
        connectEvents();
        if (options.messageCount != 0) {
            say("receiving data transfers");
            pollReceives();
            say("sending replies");
            for (TestNode node : nodes) {
                node.postSends(UdMessages.request(node).flags(SendFlags.SIGNALED));
            }
            pollSends();
            say("data transfers complete");
        }
    }

    @Override
    void client() {
        connectEvents();
        if (options.messageCount != 0) {
            say("initiating data transfers");
            for (TestNode node : nodes) {
                node.postSends(UdMessages.request(node));
            }
            say("receiving data transfers");
            pollReceives();
            say("data transfers complete");
        }
    }

    @Override
    void connect(TestNode node) {
        setUp(node);
        node.id.connect(PARAMETERS);
    }

    @Override
    void accept(TestNode node) {
        setUp(node);
        node.id.accept(PARAMETERS.withQp(node.id.qp().qpNum(), false));
        node.connected = true;
        connectsLeft--;
    }

    private void setUp(TestNode node) {
        UdMessages.checkSize(node, options, console);
        node.setUpDatagrams();
        node.postReceives();
    }

    @Override
    void handle(CmEvent event) {
        switch (event.type()) {
            case ESTABLISHED -> {
                node(event).target(event.datagram());
                connectsLeft--;
            }
            default -> super.handle(event);
        }
    }
}
