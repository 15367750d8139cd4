// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;

/**
 * One call of a test: its nodes, its event channel, and the last lines of its output. Subclasses have what happens between the lines
 * "starting" and "test complete". Messages begin with the original's own prefix, which may differ from the command's name.
 */
abstract class CmTestRun {
    static final int RESOLVE_TIMEOUT_MS = 2000;

    final String prefix;
    final TestOptions options;
    final Console console;
    final ConnectionManager manager = ConnectionManager.get();
    final List<TestNode> nodes = new ArrayList<>();
    EventChannel channel = FirstChannel.create(1);
    /** Nodes that are not connected yet. */
    int connectsLeft;

    CmTestRun(String prefix, TestOptions options, Console console) {
        this.prefix = prefix;
        this.options = options;
        this.console = console;
        connectsLeft = options.connections;
    }

    /**
     * Runs the test and frees everything.
     *
     * @return the status, which is also printed
     */
    final int run() {
        for (int i = 0; i < options.connections; i++) {
            TestNode node = new TestNode(prefix, options, console);
            if (isActive()) {
                node.id = manager.createId(channel, node, options.space);
            }
            nodes.add(node);
        }
        int status = 0;
        try {
            test();
        } catch (TestFailure failure) {
            status = failure.status();
        }
        say("test complete");
        nodes.forEach(TestNode::close);
        channel.close();
        say("return status " + status);
        return status;
    }

    /** @return whether the nodes have identifiers from the start; otherwise identifiers are those of requests */
    abstract boolean isActive();

    /** Runs the test itself, from the line "starting" on. */
    abstract void test();

    /** Processes one event, which is acknowledged afterwards. */
    abstract void handle(CmEvent event);

    final void say(String line) {
        console.println(line);
        console.out().flush();
    }

    /** Processes events until all nodes are connected. */
    final void connectEvents() {
        while (connectsLeft > 0) {
            nextEvent();
        }
    }

    final void nextEvent() {
        process(channel.getEvent(-1));
    }

    /** Processes the events that have arrived, without waiting. */
    final void pendingEvents() {
        for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
            process(event);
        }
    }

    private void process(CmEvent event) {
        try {
            handle(event);
        } finally {
            event.ack();
        }
    }

    final void pollSends() {
        nodes.forEach(node -> node.pollSends(this::pendingEvents));
    }

    final void pollReceives() {
        nodes.forEach(node -> node.pollReceives(this::pendingEvents));
    }

    static TestNode node(CmEvent event) {
        return (TestNode) event.id().context();
    }

    /** Prints an event that ends the test. */
    final TestFailure failed(CmEvent event) {
        say(prefix + ": event: " + event.type().text() + ", error: " + event.status());
        EventCause.print(event, console);
        return new TestFailure(event.status());
    }

    /** Prints what {@code perror} prints for a step of this test that was refused. */
    final TestFailure perror(String step, VerbsException refused) {
        return TestFailure.perror(console, prefix + ": " + step, refused);
    }
}
