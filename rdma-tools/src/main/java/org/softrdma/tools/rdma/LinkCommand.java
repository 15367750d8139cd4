// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkOption;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.LinkType;
import org.softrdma.host.config.LinkTypes;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Report;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.PortAttributes;

/**
 * {@code rdma link [ show | add | delete | help ]}, and {@code set}, which the original does not have. The options of links, their help
 * included, are those that the {@linkplain LinkType types} of links declare.
 */
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

    /** Finds the link of {@code DEV/1}; unlike the original also of a bare {@code DEV}, since every device has one port. */
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
        PortAttributes subnet = link.portOfSubnet();
        if (subnet != null) {
            report.number("lid", "lid %d ", subnet.lid());
            report.number("sm_lid", "sm_lid %d ", subnet.smLid());
            report.number("lmc", "lmc %d ", subnet.lmc());
        }
        report.string("state", "state %s ", link.state().text());
        report.string("physical_state", "physical_state %s ", link.physicalState());
        if (!link.configured().netdev().isEmpty()) {
            report.string("netdev", "netdev %s ", link.configured().netdev());
        }
        if (link.netdev() != null) {
            report.number("netdev_index", details ? "netdev_index %d " : null, link.netdev().ifIndex());
        }
        // Not only with --details, and the original has none: an option such as faults explains what users see.
        for (LinkOption<?> option : options(link.configured())) {
            String value = option.shown(link.configured());
            if (value != null) {
                report.string(option.name(), option.name() + " %s ", value);
            }
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
        ConfiguredLink configured = new ConfiguredLink(link, type, "", Map.of());
        LinkType known = LinkTypes.find(type);
        if (known == null || known.isOnInterface()) {
            if (words.takeCommand("netdev") == null) {
                return Rdma.unknown("parameter", words, console);
            }
            if (words.isEmpty()) {
                throw new ToolFailure("Please provide a net device name.");
            }
            configured = new ConfiguredLink(link, type, words.take(), Map.of());
        }
        while (!words.isEmpty()) {
            LinkOption<?> option = takeOption(words, configured, LinkOption::isSettableOnAdd);
            configured = with(configured, option, value(words, option.required(), ""));
        }
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
        LinkOption<?> option = takeOption(words, link.configured(), each -> each.keeper() == null);
        String help = option.details().isEmpty() ? "" : "\n" + option.details().stripTrailing();
        String value = value(words, option.required(), help);
        if (!words.isEmpty()) {
            throw new ToolFailure("Unknown parameter " + words.peek());
        }
        set(link.configured(), option, value);
        return 0;
    }

    /** Takes the name of an option, abbreviated or not: of the link's type, or else of another one, which is refused later. */
    private static LinkOption<?> takeOption(Words words, ConfiguredLink link, Predicate<LinkOption<?>> eligible) {
        List<LinkOption<?>> options = Stream.concat(options(link).stream(), LinkTypes.options().stream()).filter(eligible).toList();
        String name = words.takeCommand(options.stream().map(LinkOption::name).toArray(String[]::new));
        for (LinkOption<?> each : options) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        throw new ToolFailure("Unknown parameter " + words.peek());
    }

    private static String value(Words words, String required, String help) {
        if (words.isEmpty()) {
            throw new ToolFailure("Please provide " + required + "." + help);
        }
        return words.take();
    }

    private <T> void set(ConfiguredLink link, LinkOption<T> option, String word) {
        T value = option.parse(word);
        requireOption(link, option);
        store.set(link.name(), option, value);
    }

    private static <T> ConfiguredLink with(ConfiguredLink link, LinkOption<T> option, String word) {
        T value = option.parse(word);
        requireOption(link, option);
        return link.with(option, value);
    }

    private static void requireOption(ConfiguredLink link, LinkOption<?> option) {
        if (!options(link).contains(option)) {
            List<String> types = LinkTypes.having(option).stream().map(LinkType::name).toList();
            throw new ToolFailure("error: Operation not supported\n" + link.name() + " is of type " + link.type()
                + "; only links of type " + String.join(" or ", types) + " have " + option.title());
        }
    }

    /** The options that a link's type declares; none if there is no such type, which the store refuses. */
    private static List<LinkOption<?>> options(ConfiguredLink link) {
        LinkType type = LinkTypes.find(link.type());
        return type == null ? List.of() : type.options();
    }

    private int help(String name) {
        StringBuilder text = new StringBuilder("Usage: " + name + " link show [DEV/PORT_INDEX]\n"
            + "Usage: " + name + " link add NAME type TYPE [ netdev NETDEV ]");
        LinkTypes.options().stream().filter(LinkOption::isSettableOnAdd).forEach(option ->
            text.append(" [ ").append(option.name()).append(" { ").append(option.syntax()).append(" } ]"));
        text.append("\nUsage: ").append(name).append(" link delete NAME\n");
        LinkTypes.options().stream().filter(option -> option.keeper() == null).forEach(option ->
            text.append("Usage: ").append(name).append(" link set DEV ").append(option.name()).append(" { ").append(option.syntax())
                .append(" }\n").append(option.details().indent(7)));
        console.print(text.toString());
        return 0;
    }
}
