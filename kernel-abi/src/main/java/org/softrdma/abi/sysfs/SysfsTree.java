// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.sysfs;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.umad.UmadIoctl;
import org.softrdma.abi.uverbs.UverbsValue;

/**
 * Files of devices below {@code /sys/class}: paths without a leading slash, and texts as the kernel prints them, line feed included. A path
 * that ends with a slash is an empty directory.
 *
 * <p>Left out are {@code issmN} in {@code infiniband_mad} (no subnet manager runs on Ethernet), links to {@code subsystem}, {@code power},
 * and files that the kernel lists but refuses to read: the network interface of a GID without one.
 */
public final class SysfsTree {
    private static final String[] NODE_TYPES = {"unknown", "CA", "switch", "router", "RNIC", "usNIC", "usNIC UDP", "unspecified"};
    private static final String[] STATES = {"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
    private static final String[] PHYS_STATES = {"<unknown>", "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp",
        "LinkErrorRecovery", "Phy Test"};

    private final Map<String, String> files = new TreeMap<>();

    private SysfsTree() {
    }

    /**
     * Makes the files of all devices, and those that belong to none.
     *
     * @param devices devices
     * @param rdmaCm  number of {@code /dev/infiniband/rdma_cm}
     * @return texts by path, sorted by path
     */
    public static Map<String, String> of(List<SysfsDevice> devices, DeviceNumber rdmaCm) {
        SysfsTree tree = new SysfsTree();
        tree.line("class/infiniband_verbs/abi_version", UverbsValue.ABI_VERSION);
        tree.line("class/infiniband_mad/abi_version", UmadIoctl.ABI_VERSION);
        tree.line("class/misc/rdma_cm/abi_version", UcmCommand.ABI_VERSION);
        tree.line("class/misc/rdma_cm/dev", rdmaCm);
        for (SysfsDevice device : devices) {
            tree.uverbs(device);
            tree.umads(device);
            tree.device(device);
        }
        return tree.files;
    }

    private void uverbs(SysfsDevice device) {
        String node = "uverbs" + device.uverbs();
        String at = "class/infiniband_verbs/" + node + "/";
        DeviceNumber number = DeviceNumber.uverbs(device.uverbs());
        line(at + "abi_version", device.abiVersion());
        line(at + "dev", number);
        line(at + "ibdev", device.name());
        line(at + "uevent", uevent(node, number) + "\nDEVMODE=0666");
    }

    private void umads(SysfsDevice device) {
        for (SysfsPort port : device.ports()) {
            if (port.umad() != SysfsPort.NO_UMAD) {
                String node = "umad" + port.umad();
                String at = "class/infiniband_mad/" + node + "/";
                DeviceNumber number = DeviceNumber.umad(port.umad());
                line(at + "dev", number);
                line(at + "ibdev", device.name());
                line(at + "port", port.number());
                line(at + "uevent", uevent(node, number));
            }
        }
    }

    private static String uevent(String node, DeviceNumber number) {
        return "MAJOR=" + number.major() + "\nMINOR=" + number.minor() + "\nDEVNAME=infiniband/" + node;
    }

    private void device(SysfsDevice device) {
        String at = "class/infiniband/" + device.name() + "/";
        line(at + "uevent", "NAME=" + device.name());
        line(at + "node_type", named(device.nodeType(), NODE_TYPES));
        line(at + "node_desc", device.nodeDesc());
        line(at + "node_guid", groups(device.nodeGuid()));
        line(at + "sys_image_guid", groups(device.sysImageGuid()));
        line(at + "fw_ver", device.fwVersion());
        if (device.parent() != null) {
            line(at + "parent", device.parent());
        }
        for (String netdev : device.netdevs()) {
            files.put(at + "device/net/" + netdev + "/", "");
        }
        for (SysfsPort port : device.ports()) {
            port(at + "ports/" + port.number() + "/", port);
        }
    }

    private void port(String at, SysfsPort port) {
        line(at + "state", named(port.state(), STATES));
        line(at + "phys_state", named(port.physState(), PHYS_STATES));
        line(at + "cap_mask", String.format(Locale.ROOT, "0x%08x", port.capMask()));
        line(at + "rate", port.rate());
        line(at + "link_layer", port.linkLayer());
        // An Ethernet port has no subnet manager and no LID.
        line(at + "lid", "0x0");
        line(at + "lid_mask_count", 0);
        line(at + "sm_lid", "0x0");
        line(at + "sm_sl", 0);
        for (int i = 0; i < port.pkeys().size(); i++) {
            line(at + "pkeys/" + i, String.format(Locale.ROOT, "0x%04x", port.pkeys().get(i) & 0xFFFF));
        }
        for (SysfsGid gid : port.gids()) {
            line(at + "gids/" + gid.index(), groups(gid.high()) + ":" + groups(gid.low()));
            line(at + "gid_attrs/types/" + gid.index(), gid.type());
            if (gid.netdev() != null) {
                line(at + "gid_attrs/ndevs/" + gid.index(), gid.netdev());
            }
        }
        counters(at + "counters/", port.counters());
        counters(at + "hw_counters/", port.hwCounters());
        port.groups().forEach((group, counters) -> counters(at + group + "/", counters));
    }

    private void counters(String at, Map<String, Long> counters) {
        counters.forEach((name, value) -> line(at + name, Long.toUnsignedString(value)));
    }

    private void line(String path, Object text) {
        files.put(path, text + "\n");
    }

    private static String named(int number, String[] names) {
        return number + ": " + (number >= 0 && number < names.length ? names[number] : "<unknown>");
    }

    /** Four groups of four digits, as the kernel writes GUIDs and the halves of GIDs. */
    private static String groups(long value) {
        return String.format(Locale.ROOT, "%04x:%04x:%04x:%04x", value >>> 48, value >>> 32 & 0xFFFF, value >>> 16 & 0xFFFF,
            value & 0xFFFF);
    }
}
