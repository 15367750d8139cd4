// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.host.config.LinkStore;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Report;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.tools.devices.Guid;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/** {@code rdma dev [ show | help ]}. */
final class DevCommand {
    /** The names {@code rdma} has for the bits of the device capability flags, from bit 0; empty where it has none. */
    private static final String[] CAPABILITIES = {
        "RESIZE_MAX_WR", "BAD_PKEY_CNTR", "BAD_QKEY_CNTR", "RAW_MULTI", "AUTO_PATH_MIG", "CHANGE_PHY_PORT",
        "UD_AV_PORT_ENFORCE_PORT_ENFORCE", "CURR_QP_STATE_MOD", "SHUTDOWN_PORT", "INIT_TYPE", "PORT_ACTIVE_EVENT", "SYS_IMAGE_GUID",
        "RC_RNR_NAK_GEN", "SRQ_RESIZE", "N_NOTIFY_CQ", "LOCAL_DMA_LKEY", "", "MEM_WINDOW", "UD_IP_CSUM", "UD_TSO", "XRC",
        "MEM_MGT_EXTENSIONS", "BLOCK_MULTICAST_LOOPBACK", "MEM_WINDOW_TYPE_2A", "MEM_WINDOW_TYPE_2B", "RC_IP_CSUM", "RAW_IP_CSUM",
        "CROSS_CHANNEL", "", "MANAGED_FLOW_STEERING", "SIGNATURE_HANDOVER", "ON_DEMAND_PAGING"};

    private final LinkStore store;
    private final Report report;
    private final boolean details;
    private final Console console;

    DevCommand(LinkStore store, Report report, boolean details, Console console) {
        this.store = store;
        this.report = report;
        this.details = details;
        this.console = console;
    }

    int run(String name, Words words) {
        if (words.isEmpty()) {
            return show(words);
        }
        return switch (words.takeCommand("show", "list", "set", "help")) {
            case null -> Rdma.unknown("dev command", words, console);
            case "set" -> throw new ToolFailure("error: Operation not supported\n"
                + name + " dev set: not yet in softrdma; to rename a device, delete its link and add it under the new name");
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
            String device = words.take();
            Link link = Link.find(links, device);
            if (link == null) {
                throw new ToolFailure("Wrong device name - " + device);
            }
            if (!words.isEmpty()) {
                return Rdma.unknown("parameter", words, console);
            }
            print(link);
            return 0;
        } finally {
            report.end();
        }
    }

    private void print(Link link) {
        RdmaDevice device = device(link.name());
        report.beginObject();
        report.number("ifindex", "%d: ", link.index());
        report.string("ifname", "%s: ", link.name());
        report.string("node_type", "node_type %s ", link.nodeType());
        String guid = guid(link, device);
        report.string("node_guid", "node_guid %s ", guid);
        report.string("sys_image_guid", "sys_image_guid %s ", guid);
        if (details) {
            report.onOff("adaptive-moderation", "adaptive-moderation %s ", false);
            printCapabilities(device);
        }
        report.endObject();
    }

    /** The device of a link, which is one of ours; null if no provider offers it. */
    private static RdmaDevice device(String name) {
        for (RdmaDevice each : Verbs.devices(Verbs.SOFTRDMA)) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    private static String guid(Link link, RdmaDevice device) {
        long guid = 0;
        if (device != null) {
            guid = device.nodeGuid();
        } else if (link.netdev() != null) {
            guid = link.netdev().nodeGuid();
        }
        return Guid.text(guid);
    }

    /** Prints the line that needs the device's attributes; none for a device that does not report them. */
    private void printCapabilities(RdmaDevice device) {
        if (device == null) {
            return;
        }
        try {
            report.names("caps", capabilityNames(device.describe().device().deviceCapFlags()));
        } catch (VerbsException refused) {
            console.error(device.name() + ": capabilities not known: " + refused.getMessage());
        }
    }

    static List<String> capabilityNames(int flags) {
        List<String> names = new ArrayList<>();
        for (int bit = 0; bit < 32; bit++) {
            if ((flags >>> bit & 1) != 0) {
                names.add(CAPABILITIES[bit].isEmpty() ? "UNKNOWN" : CAPABILITIES[bit]);
            }
        }
        return names;
    }

    private int help(String name) {
        console.print("Usage: " + name + " dev show [DEV]\n"
            + "       " + name + " dev set [DEV] name DEVNAME\n"
            + "       " + name + " dev set [DEV] netns NSNAME\n"
            + "       " + name + " dev set [DEV] adaptive-moderation [on|off]\n");
        return 0;
    }
}
