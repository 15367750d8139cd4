// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.cli.Tool;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** {@code mckey}: everybody joins a group, one sends, the others receive. */
public final class McKey implements Tool {
    private static final int RESOLVE_TIMEOUT_MS = 2000;
    private static final int UNKNOWN_NAME = -2;
    /** Switches learn of the members meanwhile. */
    private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(3);

    /** What its command line has beyond the others'. */
    private static final class Options {
        private final TestOptions common = new TestOptions("0", PortSpace.UDP);
        private boolean sender;
        private boolean sendOnly;
        private boolean unmapped;
        private boolean loopback = true;
        private String group;
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        Options options = parse(name, arguments, console);
        return options == null ? 1 : new Run(options, console).all() & 0xff;
    }

    private static Options parse(String name, List<String> arguments, Console console) {
        Options options = new Options();
        GetoptLong reader = new GetoptLong(name, "m:M:sb:c:C:S:p:ol", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'm' -> options.group = reader.argument();
                case 'M' -> {
                    options.group = reader.argument();
                    options.unmapped = true;
                }
                case 's' -> options.sender = true;
                case 'p' -> options.common.space = PortSpace.of(CNumber.signed(reader.argument()));
                case 'o' -> options.sendOnly = true;
                case 'l' -> options.loopback = false;
                case 'b', 'c', 'C', 'S' -> options.common.take(option, reader.argument());
                default -> {
                    usage(name, console);
                    return null;
                }
            }
        }
        if (options.unmapped && options.common.source == null) {
            console.print("unmapped multicast address requires binding to source address\n");
            return null;
        }
        if (options.group == null || options.common.space == null) {
            usage(name, console);
            return null;
        }
        if (!options.loopback) {
            console.error("Warning: what is sent comes back to this host's members all the same");
        }
        return options;
    }

    private static void usage(String name, Console console) {
        console.print("usage: " + name + "\n" + """
            \t-m multicast_address
            \t[-M unmapped_multicast_address]
            \t replaces -m and requires -b
            \t[-s(ender)]
            \t[-b bind_address]
            \t[-c connections]
            \t[-C message_count]
            \t[-S message_size]
            \t[-p port_space - 0x111 for UDP (default), 0x2 for IPOIB]
            \t[-o join as a send-only full-member]
            \t[-l join without multicast loopback]
            """);
    }

    private static final class Run {
        private final Options options;
        private final Console console;
        private final ConnectionManager manager = ConnectionManager.get();
        private final EventChannel channel = FirstChannel.create(1);
        private final List<TestNode> nodes = new ArrayList<>();
        private InetAddress group;
        private int connectsLeft;

        Run(Options options, Console console) {
            this.options = options;
            this.console = console;
            connectsLeft = options.common.connections;
        }

        /** @return the status, which is also printed */
        int all() {
            for (int i = 0; i < options.common.connections; i++) {
                TestNode node = new TestNode("mckey", options.common, console);
                node.id = manager.createId(channel, node, options.common.space);
                nodes.add(node);
            }
            int status = 0;
            try {
                run();
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

        private InetAddress find(String name) {
            InetAddress found = HostName.find(name);
            if (found == null) {
                say("getaddrinfo failed (" + HostName.UNKNOWN + ") - invalid hostname or IP address");
                throw new TestFailure(UNKNOWN_NAME);
            }
            return found;
        }

        private void run() {
            say("mckey: starting " + (options.sender ? "client" : "server"));
            InetSocketAddress source = options.common.source == null ? null
                : new InetSocketAddress(find(options.common.source), 0);
            group = find(options.group);
            say("mckey: joining");
            for (TestNode node : nodes) {
                begin(node, source);
            }
            connectEvents();
            try {
                settle();
                transfer();
            } finally {
                leave();
            }
        }

        private void begin(TestNode node, InetSocketAddress source) {
            if (source != null) {
                try {
                    node.id.bind(source);
                } catch (VerbsException refused) {
                    throw TestFailure.perror(console, "mckey: addr bind failure", refused);
                }
            }
            if (options.unmapped) {
                join(node);
                return;
            }
            try {
                node.id.resolveAddress(source, new InetSocketAddress(group, 0), RESOLVE_TIMEOUT_MS);
            } catch (VerbsException refused) {
                throw TestFailure.perror(console, "mckey: resolve addr failure", refused);
            }
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
                case ADDR_RESOLVED -> join((TestNode) event.id().context());
                case MULTICAST_JOIN -> onJoined((TestNode) event.id().context(), event.datagram());
                case ADDR_ERROR, ROUTE_ERROR, MULTICAST_ERROR -> {
                    say("mckey: event: " + event.type().text() + ", error: " + event.status());
                    throw new TestFailure(event.status());
                }
                default -> {
                    // Of no concern.
                }
            }
        }

        private void join(TestNode node) {
            UdMessages.checkSize(node, options.common, console);
            node.setUpDatagrams();
            if (!options.sender) {
                node.postReceives();
            }
            try {
                node.id.joinMulticast(group, options.sendOnly, node);
            } catch (VerbsException refused) {
                throw TestFailure.perror(console, "mckey: failure joining", refused);
            }
        }

        private void onJoined(TestNode node, DatagramParameters target) {
            say("mckey: joined dgid: " + target.addressVector().dgid() + " mlid 0x0 sl " + target.addressVector().sl());
            node.remoteQpn = target.qpNum();
            node.remoteQkey = target.qkey();
            try {
                node.handle = node.pd().createAh(target.addressVector());
            } catch (VerbsException refused) {
                say("mckey: failure creating address handle");
                console.error(refused.getMessage());
                throw new TestFailure(-1);
            }
            node.connected = true;
            connectsLeft--;
        }

        /** As long as the original waits: a test's members are started one after the other. */
        private static void settle() {
            long untilNs = System.nanoTime() + SETTLE_NS;
            while (untilNs - System.nanoTime() > 0) {
                LockSupport.parkNanos(untilNs - System.nanoTime());
            }
        }

        private void transfer() {
            if (options.common.messageCount == 0) {
                return;
            }
            if (options.sender) {
                say("initiating data transfers");
                for (TestNode node : nodes) {
                    node.postSends(UdMessages.request(node).flags(SendFlags.SIGNALED));
                }
                // Leaving the group before they are out would lose them.
                nodes.forEach(TestNode::pollSends);
            } else {
                say("receiving data transfers");
                nodes.forEach(TestNode::pollReceives);
            }
            say("data transfers complete");
        }

        private void leave() {
            for (TestNode node : nodes) {
                try {
                    node.id.leaveMulticast(group);
                } catch (VerbsException refused) {
                    TestFailure.warn(console, "mckey: failure leaving", refused);
                }
            }
        }
    }
}
