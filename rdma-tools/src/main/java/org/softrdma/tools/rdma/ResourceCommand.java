// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;
import org.softrdma.host.inspect.DeviceReport;
import org.softrdma.host.inspect.ProcessReport;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Report;

/** {@code rdma resource [ show [ DEV | KIND [ link | dev WHICH ] [ FILTER VALUE ]... ] ]}: objects of running processes. */
final class ResourceCommand {
    private final List<Link> links;
    private final Processes processes;
    private final Report report;
    private final Console console;

    ResourceCommand(List<Link> links, Processes processes, Report report, Console console) {
        this.links = links;
        this.processes = processes;
        this.report = report;
        this.console = console;
    }

    int run(Words words) {
        if (words.isEmpty()) {
            return show(words);
        }
        return switch (words.takeCommand("show", "list", "help")) {
            case null -> Rdma.unknown("resource command", words, console);
            case "help" -> help();
            default -> show(words);
        };
    }

    private int show(Words words) {
        if (words.isEmpty()) {
            return summary(links);
        }
        Link one = Link.find(links, words.peek());
        if (one != null) {
            return summary(List.of(one));
        }
        String kind = words.takeCommand(ResourceTable.words());
        if (kind == null) {
            return Rdma.unknown("parameter", words, console);
        }
        ResourceTable table = ResourceTable.of(kind);
        ResourceFilter filter = ResourceFilter.parse(words, table, links);
        List<Found> found = Found.in(reports(), links, table);
        report.begin();
        found.stream().filter(filter::passes).forEach(each -> table.print(each, report));
        report.end();
        return 0;
    }

    private List<ProcessReport> reports() {
        return processes.ask(problem -> console.error("rdma: " + problem));
    }

    private int summary(List<Link> shown) {
        List<ProcessReport> reports = reports();
        report.begin();
        for (Link link : shown) {
            report.beginObject();
            report.number("ifindex", "%d: ", link.index());
            report.string("ifname", "%s: ", link.name());
            for (ResourceKind kind : List.of(ResourceKind.PD, ResourceKind.CQ, ResourceKind.QP, ResourceKind.CM_ID, ResourceKind.MR,
                    ResourceKind.CTX, ResourceKind.SRQ)) {
                report.number(kind.text(), kind.text() + " %d ", total(reports, link, kind));
            }
            report.endObject();
        }
        report.end();
        return 0;
    }

    private static long total(List<ProcessReport> reports, Link link, ResourceKind kind) {
        long all = 0;
        for (ProcessReport process : reports) {
            for (DeviceReport device : process.devices()) {
                all += device.device().equals(link.name()) ? device.totals().getOrDefault(kind, 0L) : 0;
            }
        }
        return all;
    }

    private int help() {
        StringBuilder text = new StringBuilder("""
            Usage: rdma resource
                      resource show [DEV]
                      resource show [qp|cm_id|pd|mr|cq|ctx|srq]
            """);
        for (String line : List.of("qp link [DEV/PORT]", "cm_id link [DEV/PORT]", "cq link [DEV/PORT]", "pd dev [DEV]", "mr dev [DEV]",
                "ctx dev [DEV]", "srq dev [DEV]")) {
            text.append("          resource show ").append(line).append('\n');
            text.append("          resource show ").append(line).append(" [FILTER-NAME FILTER-VALUE]\n");
        }
        console.print(text.toString());
        return 0;
    }
}
