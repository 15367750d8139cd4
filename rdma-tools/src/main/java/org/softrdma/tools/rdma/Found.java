// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.softrdma.host.inspect.DeviceReport;
import org.softrdma.host.inspect.Owner;
import org.softrdma.host.inspect.ProcessReport;
import org.softrdma.host.inspect.Resource;

/**
 * An object that a process has on a link.
 *
 * @param resource including the process, as {@code pid} and {@code comm}
 */
record Found(Link link, Resource resource) {
    private static final Comparator<Found> BY_LINK_PROCESS_AND_NUMBER = Comparator.<Found>comparingInt(found -> found.link.index())
        .thenComparingLong(found -> found.number(Owner.PID)).thenComparingLong(Found::ownNumber);

    /** Objects of one kind on the links, of all processes. */
    static List<Found> in(List<ProcessReport> processes, List<Link> links, ResourceTable table) {
        List<Found> all = new ArrayList<>();
        for (ProcessReport process : processes) {
            for (DeviceReport device : process.devices()) {
                Link link = Link.find(links, device.device());
                if (link != null) {
                    device.resources().stream().filter(each -> each.kind() == table.kind())
                        .forEach(each -> all.add(new Found(link, complete(each, device, process, table))));
                }
            }
        }
        all.sort(BY_LINK_PROCESS_AND_NUMBER);
        return all;
    }

    private static Resource complete(Resource resource, DeviceReport device, ProcessReport process, ResourceTable table) {
        Resource whole = resource.attribute(Owner.PID) != null ? resource
            : resource.with(Owner.PID, process.pid()).with(Owner.COMMAND, process.command());
        return switch (table) {
            case CQ -> whole.with("adaptive-moderation", "off");
            case SRQ -> {
                String users = NumberRanges.of(device.resources(), "srqn", resource.attribute("srqn"), "lqpn");
                yield users.isEmpty() ? whole : whole.with("lqpn", users);
            }
            default -> whole;
        };
    }

    /** Number of the object within its process: the first number of its line. */
    private long ownNumber() {
        String name = switch (resource.kind()) {
            case QP -> "lqpn";
            case CQ -> "cqn";
            case MR -> "mrn";
            case PD -> "pdn";
            case CM_ID -> "cm-idn";
            case CTX -> "ctxn";
            case SRQ -> "srqn";
        };
        return number(name);
    }

    private long number(String name) {
        String digits = resource.attribute(name);
        return digits != null && digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : -1;
    }
}
