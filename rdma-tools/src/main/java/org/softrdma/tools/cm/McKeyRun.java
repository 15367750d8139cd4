// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.HostName;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.DatagramParameters;

/** One call of mckey. */
final class McKeyRun extends CmTestRun {
    private static final int UNKNOWN_NAME = -2;
    /** The original's wait between joining and sending, in which switches learn about the members. */
    private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(3);

    private final McKeyOptions own;
    private InetAddress group;

    McKeyRun(McKeyOptions options, Console console) {
        super("mckey", options.common, console);
        own = options;
    }

    @Override
    boolean isActive() {
        return true;
    }

    @Override
    void test() {
        say("mckey: starting " + (own.sender ? "client" : "server"));
        InetSocketAddress source = options.source == null ? null : new InetSocketAddress(find(options.source), 0);
        group = find(own.group);
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

    private InetAddress find(String name) {
        InetAddress found = HostName.find(name);
        if (found == null) {
            say("getaddrinfo failed (" + HostName.UNKNOWN + ") - invalid hostname or IP address");
            throw new TestFailure(UNKNOWN_NAME);
        }
        return found;
    }

    private void begin(TestNode node, InetSocketAddress source) {
        if (source != null) {
            try {
                node.id.bind(source);
            } catch (VerbsException refused) {
                throw perror("addr bind failure", refused);
            }
        }
        if (own.unmapped) {
            join(node);
            return;
        }
        try {
            node.id.resolveAddress(source, new InetSocketAddress(group, 0), RESOLVE_TIMEOUT_MS);
        } catch (VerbsException refused) {
            throw perror("resolve addr failure", refused);
        }
    }

    @Override
    void handle(CmEvent event) {
        switch (event.type()) {
            case ADDR_RESOLVED -> join(node(event));
            case MULTICAST_JOIN -> onJoined(node(event), event.datagram());
            case ADDR_ERROR, ROUTE_ERROR, MULTICAST_ERROR -> throw failed(event);
            default -> {
                // The original ignores the others.
            }
        }
    }

    private void join(TestNode node) {
        UdMessages.checkSize(node, options, console);
        node.setUpDatagrams();
        if (!own.sender) {
            node.postReceives();
        }
        try {
            node.id.joinMulticast(group, own.sendOnly, node);
        } catch (VerbsException refused) {
            throw perror("failure joining", refused);
        }
    }

    private void onJoined(TestNode node, DatagramParameters target) {
        say("mckey: joined dgid: " + target.addressVector().dgid() + " mlid 0x0 sl " + target.addressVector().sl());
        node.target(target);
        connectsLeft--;
    }

    private static void settle() {
        long untilNs = System.nanoTime() + SETTLE_NS;
        while (untilNs - System.nanoTime() > 0) {
            LockSupport.parkNanos(untilNs - System.nanoTime());
        }
    }

    private void transfer() {
        if (options.messageCount == 0) {
            return;
        }
        if (own.sender) {
            say("initiating data transfers");
            for (TestNode node : nodes) {
                node.postSends(UdMessages.request(node).flags(SendFlags.SIGNALED));
            }
            // Messages that are still queued when the group is left would be lost.
            pollSends();
        } else {
            say("receiving data transfers");
            pollReceives();
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
