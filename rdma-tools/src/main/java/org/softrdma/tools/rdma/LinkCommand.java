// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;
import org.softrdma.device.config.ConfiguredLink;
import org.softrdma.device.config.CongestionControl;
import org.softrdma.device.config.LinkStore;
import org.softrdma.device.fault.LinkFaults;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;

/** {@code rdma link [ show | add | delete | help ]}, and of our own {@code set DEV fault} and {@code congestion}. */
final class LinkCommand {
    private final LinkStore store;
    private final Report report;
    private final boolean details;
    private final Console console;

    LinkCommand(LinkStore store, Report report, boolean details, Console console) {
        this.store = store;
        this.report = report;
        this.details = details;
        this.console = console;
    }

    int run(String name, Words words) {
        if (words.isEmpty()) {
            return show(words);
        }
        return switch (words.takeCommand("add", "delete", "show", "list", "set", "help")) {
            case null -> Rdma.unknown("link command", words, console);
            case "add" -> add(name, words);
            case "delete" -> delete(words);
            case "set" -> set(name, words);
            case "help" -> help(name);
            default -> show(words);
        };
    }

    private int show(Words words) {
        List<Link> links = Link.all(store);
        report.begin();
        try {
            if (words.isEmpty()) {
                links.forEach(this::print);
                return 0;
            }
            Link link = find(links, words.take());
            if (!words.isEmpty()) {
                return Rdma.unknown("parameter", words, console);
            }
            print(link);
            return 0;
        } finally {
            report.end();
        }
    }

    /** {@code DEV/1}; other than the original we take a bare {@code DEV} too, every device having one port. */
    private static Link find(List<Link> links, String text) {
        int slash = text.lastIndexOf('/');
        Link link = Link.find(links, slash < 0 ? text : text.substring(0, slash));
        if (link == null || slash >= 0 && !text.substring(slash + 1).equals("1")) {
            throw new ToolFailure("Wrong device name");
        }
        return link;
    }

    private void print(Link link) {
        report.beginObject();
        report.number("ifindex", null, link.index());
        report.string("ifname", "link %s/", link.name());
        report.number("port", "%d ", 1);
        report.string("state", "state %s ", link.state().text());
        report.string("physical_state", "physical_state %s ", link.physicalState());
        report.string("netdev", "netdev %s ", link.configured().netdev());
        if (link.netdev() != null) {
            report.number("netdev_index", details ? "netdev_index %d " : null, link.netdev().ifIndex());
        }
        LinkFaults faults = link.configured().faults();
        if (!faults.isNone()) {
            // In the plain text too, where the original has nothing: nobody should look elsewhere for the reason of lost packets.
            report.string("fault", "fault %s ", faults.toString());
        }
        CongestionControl congestion = link.configured().congestion();
        if (congestion.on()) {
            report.string("congestion", "congestion %s ", congestion.toString());
        }
        report.endObject();
    }

    private int add(String name, Words words) {
        if (words.isEmpty()) {
            throw new ToolFailure("Please provide a link name to add.");
        }
        String link = words.take();
        if (words.isEmpty()) {
            return help(name);
        }
        if (words.takeCommand("type") == null) {
            return Rdma.unknown("parameter", words, console);
        }
        if (words.isEmpty()) {
            throw new ToolFailure("Please provide a link type name.");
        }
        String type = words.take();
        if (words.isEmpty()) {
            return help(name);
        }
        if (words.takeCommand("netdev") == null) {
            return Rdma.unknown("parameter", words, console);
        }
        if (words.isEmpty()) {
            throw new ToolFailure("Please provide a net device name.");
        }
        store.add(link, type, words.take());
        return 0;
    }

    private int delete(Words words) {
        if (words.isEmpty()) {
            throw new ToolFailure("Please provide device name.");
        }
        String link = words.take();
        if (Link.find(Link.all(store), link) == null) {
            throw new ToolFailure("Wrong device name - " + link);
        }
        if (!words.isEmpty()) {
            throw new ToolFailure("Unknown parameter " + words.peek());
        }
        store.remove(link);
        return 0;
    }

    private int set(String name, Words words) {
        if (words.isEmpty()) {
            throw new ToolFailure("Please provide device name.");
        }
        Link link = find(Link.all(store), words.take());
        if (words.isEmpty()) {
            return help(name);
        }
        switch (words.takeCommand(ConfiguredLink.FAULT_OPTION, ConfiguredLink.CONGESTION_OPTION)) {
            case null -> throw new ToolFailure("Unknown parameter " + words.peek());
            case ConfiguredLink.FAULT_OPTION -> {
                LinkFaults faults = LinkFaults.parse(lastWord(words, "faults, or none", LinkFaults.SYNTAX));
                requireRxe(link, "faults");
                store.setFaults(link.name(), faults);
            }
            default -> {
                CongestionControl congestion =
                    CongestionControl.parse(lastWord(words, "congestion control, or none", CongestionControl.SYNTAX));
                requireRxe(link, "congestion control");
                store.setCongestion(link.name(), congestion);
            }
        }
        return 0;
    }

    /** @param what the word is to say */
    private static String lastWord(Words words, String what, String syntax) {
        if (words.isEmpty()) {
            throw new ToolFailure("Please provide " + what + ".\n" + syntax.stripTrailing());
        }
        String word = words.take();
        if (!words.isEmpty()) {
            throw new ToolFailure("Unknown parameter " + words.peek());
        }
        return word;
    }

    private static void requireRxe(Link link, String what) {
        if (!link.configured().type().equals("rxe")) {
            throw new ToolFailure("error: Operation not supported\n" + link.name() + " is of type " + link.configured().type()
                + "; only links of type rxe have " + what);
        }
    }

    private int help(String name) {
        console.print("Usage: " + name + " link show [DEV/PORT_INDEX]\n"
            + "Usage: " + name + " link add NAME type TYPE netdev NETDEV\n"
            + "Usage: " + name + " link delete NAME\n"
            + "Usage: " + name + " link set DEV fault { none | KEY=VALUE[,KEY=VALUE]... }\n"
            + LinkFaults.SYNTAX.indent(7)
            + "Usage: " + name + " link set DEV congestion { none | dcqcn[,KEY=VALUE]... }\n"
            + CongestionControl.SYNTAX.indent(7));
        return 0;
    }
}
