// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.tools.cli.Report;

/** Layout of {@code rdma resource show KIND}: the attributes shown, their order, and those that can be filtered by. */
enum ResourceTable {
    QP(ResourceKind.QP, true, "lqpn rqpn type state rq-psn sq-psn path-mig-state pdn pid comm",
        "lqpn rqpn pid sq-psn rq-psn type path-mig-state state pdn"),
    CM_ID(ResourceKind.CM_ID, true, "cm-idn lqpn qp-type state ps pid comm src-addr dst-addr",
        "lqpn qp-type state ps pid src-addr src-port dst-addr dst-port cm-idn"),
    CQ(ResourceKind.CQ, false, "cqn cqe users adaptive-moderation ctxn pid comm", "users pid cqn ctxn"),
    MR(ResourceKind.MR, false, "mrn rkey lkey mrlen pdn pid comm", "rkey lkey mrlen pid mrn pdn"),
    PD(ResourceKind.PD, false, "pdn local_dma_lkey users ctxn pid comm", "users pid ctxn pdn"),
    CTX(ResourceKind.CTX, false, "ctxn pid comm", "ctxn pid"),
    SRQ(ResourceKind.SRQ, false, "srqn type lqpn pdn cqn pid comm", "srqn pid pdn cqn lqpn type");

    private final ResourceKind kind;
    private final boolean ofPorts;
    private final String[] columns;
    private final List<String> filters;

    /** @param ofPorts each line begins with the link and its port; otherwise with the device */
    ResourceTable(ResourceKind kind, boolean ofPorts, String columns, String filters) {
        this.kind = kind;
        this.ofPorts = ofPorts;
        this.columns = columns.split(" ");
        this.filters = List.of(filters.split(" "));
    }

    ResourceKind kind() {
        return kind;
    }

    boolean ofPorts() {
        return ofPorts;
    }

    /** Names of the filters. */
    List<String> filters() {
        return filters;
    }

    /** The words of all kinds, in the order in which abbreviations are resolved. */
    static String[] words() {
        List<String> words = new ArrayList<>();
        for (ResourceTable each : values()) {
            words.add(each.kind.text());
        }
        return words.toArray(String[]::new);
    }

    static ResourceTable of(String word) {
        for (ResourceTable each : values()) {
            if (each.kind.text().equals(word)) {
                return each;
            }
        }
        throw new IllegalArgumentException(word);
    }

    void print(Found found, Report report) {
        Resource resource = found.resource();
        report.beginObject();
        report.number("ifindex", null, found.link().index());
        if (!ofPorts) {
            report.string("ifname", "dev %s ", found.link().name());
        } else if (resource.attribute("wildcard") == null) {
            report.string("ifname", "link %s/", found.link().name());
            report.number("port", "%d ", 1);
        } else {
            // A listener on every port of the device.
            report.string("ifname", "link %s/- ", found.link().name());
        }
        for (String column : columns) {
            String value = resource.attribute(column);
            if (value != null) {
                print(column, value, report);
            }
        }
        report.endObject();
    }

    private void print(String column, String value, Report report) {
        if (column.equals("adaptive-moderation")) {
            report.onOff(column, column + " %s ", value.equals("on"));
        } else if (this == SRQ && column.equals("lqpn")) {
            report.list(column, List.of(value.split(",")));
        } else if (value.startsWith("0x")) {
            report.string(column, column + " 0x%s ", value.substring(2));
        } else if (value.matches("[0-9]{1,18}")) {
            report.number(column, column + " %d ", Long.parseLong(value));
        } else {
            report.string(column, column + " %s ", value);
        }
    }
}
