// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;
import java.util.Map;
import org.softrdma.device.config.ConfiguredLink;
import org.softrdma.device.config.CongestionControl;
import org.softrdma.device.config.LinkFaults;
import org.softrdma.device.config.LinkStore;
import org.softrdma.device.config.MpaOptions;
import org.softrdma.device.config.RoceWire;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;

/**
 * {@code rdma link [ show | add | delete | help ]}, and of our own {@code set DEV fault}, {@code congestion},
 * {@code mpa}, {@code memlock}, {@code link} and {@code roce}.
 */
final class LinkCommand {
    private static final String LINK_WORDS = "raw or udp";
    private static final String ROCE_WORDS = "v1, v2 or v1,v2";

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
    static Link find(List<Link> links, String text) {
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
        MpaOptions mpa = link.configured().mpa();
        if (!mpa.equals(MpaOptions.DEFAULT)) {
            report.string("mpa", "mpa %s ", mpa.toString());
        }
        if (link.configured().limitsMemory()) {
            report.string(ConfiguredLink.MEMLOCK_OPTION, "memlock %s ", ConfiguredLink.MEMLOCK_ULIMIT);
        }
        RoceWire wire = link.configured().wire();
        if (wire.raw()) {
            report.string("link", "link %s ", "raw");
            report.string("roce", "roce %s ", wire.words());
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
        ConfiguredLink configured = new ConfiguredLink(link, type, words.take(), Map.of());
        while (!words.isEmpty()) {
            switch (words.takeCommand(ConfiguredLink.LINK_OPTION, ConfiguredLink.ROCE_OPTION)) {
                case null -> throw new ToolFailure("Unknown parameter " + words.peek());
                case ConfiguredLink.LINK_OPTION -> configured = configured.withCarrier(word(words, LINK_WORDS));
                default -> configured = configured.withVersions(word(words, ROCE_WORDS));
            }
            requireType("rxe", configured, "RoCE options");
        }
        configured.wire();
        store.add(configured);
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
        switch (words.takeCommand(ConfiguredLink.FAULT_OPTION, ConfiguredLink.CONGESTION_OPTION, ConfiguredLink.MPA_OPTION,
                ConfiguredLink.MEMLOCK_OPTION, ConfiguredLink.LINK_OPTION, ConfiguredLink.ROCE_OPTION)) {
            case null -> throw new ToolFailure("Unknown parameter " + words.peek());
            case ConfiguredLink.FAULT_OPTION -> {
                LinkFaults faults = LinkFaults.parse(lastWord(words, "faults, or none", LinkFaults.SYNTAX));
                requireType("rxe", link.configured(), "faults");
                store.setFaults(link.name(), faults);
            }
            case ConfiguredLink.MEMLOCK_OPTION -> {
                String limit = lastWord(words, "none or " + ConfiguredLink.MEMLOCK_ULIMIT, "");
                if (!limit.equals("none") && !limit.equals(ConfiguredLink.MEMLOCK_ULIMIT)) {
                    throw new ToolFailure("error: Invalid argument\n'" + limit + "' is neither none nor " + ConfiguredLink.MEMLOCK_ULIMIT);
                }
                store.setMemoryLimit(link.name(), limit.equals(ConfiguredLink.MEMLOCK_ULIMIT));
            }
            case ConfiguredLink.LINK_OPTION -> {
                String carrier = lastWord(words, "what carries packets", LINK_WORDS);
                requireType("rxe", link.configured(), "raw frames");
                store.setCarrier(link.name(), carrier);
            }
            case ConfiguredLink.ROCE_OPTION -> {
                String versions = lastWord(words, "versions of RoCE", ROCE_WORDS);
                requireType("rxe", link.configured(), "RoCE");
                store.setVersions(link.name(), versions);
            }
            case ConfiguredLink.CONGESTION_OPTION -> {
                CongestionControl congestion =
                    CongestionControl.parse(lastWord(words, "congestion control, or none", CongestionControl.SYNTAX));
                requireType("rxe", link.configured(), "congestion control");
                store.setCongestion(link.name(), congestion);
            }
            default -> {
                MpaOptions mpa = MpaOptions.parse(lastWord(words, "MPA options, or default", MpaOptions.SYNTAX));
                requireType("siw", link.configured(), "MPA options");
                store.setMpa(link.name(), mpa);
            }
        }
        return 0;
    }

    private static String word(Words words, String syntax) {
        if (words.isEmpty()) {
            throw new ToolFailure("Please provide " + syntax + ".");
        }
        return words.take();
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

    private static void requireType(String type, ConfiguredLink link, String what) {
        if (!link.type().equals(type)) {
            throw new ToolFailure("error: Operation not supported\n" + link.name() + " is of type " + link.type()
                + "; only links of type " + type + " have " + what);
        }
    }

    private int help(String name) {
        console.print("Usage: " + name + " link show [DEV/PORT_INDEX]\n"
            + "Usage: " + name + " link add NAME type TYPE netdev NETDEV [ link { raw | udp } ] [ roce { v1 | v2 | v1,v2 } ]\n"
            + "Usage: " + name + " link delete NAME\n"
            + "Usage: " + name + " link set DEV fault { none | KEY=VALUE[,KEY=VALUE]... }\n"
            + LinkFaults.SYNTAX.indent(7)
            + "Usage: " + name + " link set DEV congestion { none | dcqcn[,KEY=VALUE]... }\n"
            + CongestionControl.SYNTAX.indent(7)
            + "Usage: " + name + " link set DEV mpa { default | KEY=VALUE[,KEY=VALUE]... }\n"
            + MpaOptions.SYNTAX.indent(7)
            + "Usage: " + name + " link set DEV memlock { none | ulimit }\n"
            + "Usage: " + name + " link set DEV link { raw | udp }\n"
            + "       raw: Ethernet frames, with CAP_NET_RAW, RoCE v1 and v2; udp: sockets, RoCE v2 only\n"
            + "Usage: " + name + " link set DEV roce { v1 | v2 | v1,v2 }\n");
        return 0;
    }
}
