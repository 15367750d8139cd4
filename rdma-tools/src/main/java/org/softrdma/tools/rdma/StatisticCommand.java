// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.abi.sysfs.RxeHwCounters;
import org.softrdma.host.inspect.DeviceReport;
import org.softrdma.host.inspect.ProcessReport;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Report;
import org.softrdma.tools.cli.ToolFailure;

/**
 * {@code rdma statistic [ show [ link DEV ] ]}: counters of devices, summed over the processes that run them now. Counters of kernel rxe
 * are first, under its names; our own follow, which name the reasons of drops. In the text, ours are shown only if they are not 0 or
 * details are requested.
 */
final class StatisticCommand {
    private final List<Link> links;
    private final Processes processes;
    private final Report report;
    private final boolean all;
    private final Console console;

    /**
     * The command on a set of links.
     *
     * @param all shows our own counters that are 0, too
     */
    StatisticCommand(List<Link> links, Processes processes, Report report, boolean all, Console console) {
        this.links = links;
        this.processes = processes;
        this.report = report;
        this.all = all;
        this.console = console;
    }

    int run(Words words) {
        if (words.isEmpty()) {
            return show(links);
        }
        return switch (words.takeCommand("show", "list", "help", "qp", "mr", "mode", "set", "unset", "bind", "unbind")) {
            case null -> Rdma.unknown("statistic command", words, console);
            case "show", "list" -> showSome(words);
            case "help" -> help();
            case "qp" -> ofQueuePairs(words);
            default -> throw notSupported();
        };
    }

    private int showSome(Words words) {
        if (words.isEmpty()) {
            return show(links);
        }
        if (words.takeCommand("link") == null) {
            return Rdma.unknown("parameter", words, console);
        }
        return show(words.isEmpty() ? links : List.of(LinkCommand.find(links, words.take())));
    }

    private int show(List<Link> shown) {
        List<ProcessReport> reports = processes.ask(problem -> console.error("rdma: " + problem));
        report.begin();
        for (Link link : shown) {
            report.beginObject();
            report.string("ifname", "link %s/", link.name());
            report.number("port", "%d ", 1);
            counters(reports, link).forEach((name, value) -> {
                if (all || value != 0 || RxeHwCounters.NAMES.contains(name)) {
                    report.number(name, name + " %d ", value);
                }
            });
            report.endObject();
        }
        report.end();
        return 0;
    }

    private static Map<String, Long> counters(List<ProcessReport> reports, Link link) {
        Map<String, Long> sums = new LinkedHashMap<>();
        if (link.configured().type().equals("rxe")) {
            RxeHwCounters.NAMES.forEach(name -> sums.put(name, 0L));
        }
        for (ProcessReport process : reports) {
            for (DeviceReport device : process.devices()) {
                if (device.device().equals(link.name())) {
                    device.counters().forEach((name, value) -> sums.merge(name, value, Long::sum));
                }
            }
        }
        return sums;
    }

    /** Counters bound to queue pairs, which no soft device has, nor has kernel rxe: the list is empty, and the mode is off. */
    private int ofQueuePairs(Words words) {
        String command = words.isEmpty() ? "show" : words.takeCommand("show", "list", "mode");
        if (command == null) {
            return Rdma.unknown("parameter", words, console);
        }
        report.begin();
        if (command.equals("mode")) {
            for (Link link : links) {
                report.beginObject();
                report.number("ifindex", null, link.index());
                report.string("ifname", "link %s/", link.name());
                report.number("port", "%d ", 1);
                report.string("mode", "mode %s ", "qp auto off");
                report.endObject();
            }
        }
        report.end();
        return 0;
    }

    private static ToolFailure notSupported() {
        return new ToolFailure("error: Operation not supported\nsoft devices count for the whole device only: rdma statistic show");
    }

    private int help() {
        console.print("""
            Usage: rdma [ OPTIONS ] statistic { COMMAND | help }
                   rdma statistic show
                   rdma statistic show link [ DEV/PORT_INDEX ]
                   rdma statistic qp show
                   rdma statistic qp mode
            Counters of the processes that run now; -d[etails] shows those that are 0, too.
            """);
        return 0;
    }
}
