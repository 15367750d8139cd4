// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.abi.sysfs.LinkRate;
import org.softrdma.abi.sysfs.RxeHwCounters;
import org.softrdma.abi.sysfs.SysfsDevice;
import org.softrdma.abi.sysfs.SysfsGid;
import org.softrdma.abi.sysfs.SysfsPort;
import org.softrdma.daemon.trap.DeviceTree;
import org.softrdma.daemon.umad.UmadDevice;
import org.softrdma.daemon.verbs.UverbsDevice;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

/** Contents of sysfs for a device. Values beyond its description are those of Linux 6.1's rdma_rxe and siw. */
final class DeviceSheet {
    private static final String RXE = "rxe";
    private static final String SIW = "siw";
    private static final String SIW_DESCRIPTION = "Software iWARP stack";
    private static final String ETHERNET = "Ethernet";
    private static final int LAYER_INFINIBAND = 1;
    private static final int DEFAULT_PKEY = 0xffff;

    private DeviceSheet() {
    }

    /** The beginning of names by which libibverbs chooses the driver of a device. */
    static String prefix(UverbsDevice view) {
        return isIwarp(view.device()) ? SIW : RXE;
    }

    private static boolean isIwarp(RdmaDevice device) {
        return device.transport() == Transport.IWARP;
    }

    /**
     * Describes a device.
     *
     * @param umad its management datagrams, or null for none
     * @param name as programs see it
     * @throws org.softrdma.verbs.VerbsException the state of its interface cannot be read
     */
    static SysfsDevice of(UverbsDevice view, UmadDevice umad, String name) {
        RdmaDevice device = view.device();
        DeviceDescription description = device.describe();
        boolean iwarp = isIwarp(device);
        Map<String, Long> counted = new LinkedHashMap<>(view.counters());
        if (umad != null) {
            counted.putAll(umad.counters());
        }
        int umadNumber = umad == null ? SysfsPort.NO_UMAD : umad.index();
        return new SysfsDevice(name, view.index(), view.abiVersion(),
            device.nodeType() == NodeType.RNIC ? SysfsDevice.RNIC : SysfsDevice.CA, iwarp ? SIW_DESCRIPTION : RXE,
            description.device().fwVer(), device.nodeGuid(), description.device().sysImageGuid(), iwarp ? null : device.netdev(),
            List.of(device.netdev()), List.of(port(description, iwarp, hwCounters(counted, iwarp), umadNumber)));
    }

    /** All counters of the device. Kernel rxe's are there from the beginning; kernel siw has none. */
    private static Map<String, Long> hwCounters(Map<String, Long> counted, boolean iwarp) {
        Map<String, Long> all = new LinkedHashMap<>();
        all.put("lifespan", DeviceTree.FRESH_MS);
        if (!iwarp) {
            RxeHwCounters.NAMES.forEach(name -> all.put(name, 0L));
        }
        all.putAll(counted);
        return all;
    }

    private static SysfsPort port(DeviceDescription description, boolean iwarp, Map<String, Long> hwCounters, int umad) {
        PortAttributes port = description.port();
        List<SysfsGid> gids = new ArrayList<>();
        for (GidEntry each : description.gids()) {
            gids.add(new SysfsGid(each.index(), each.gid().high(), each.gid().low(),
                each.type() == GidType.ROCE_V2 ? SysfsGid.ROCE_V2 : SysfsGid.IB_OR_ROCE_V1, iwarp ? null : each.netdev()));
        }
        return new SysfsPort(1, port.state().value(), port.physState(), port.portCapFlags(),
            LinkRate.of(port.activeWidth(), port.activeSpeed()).kernelText(),
            port.linkLayer() == LAYER_INFINIBAND ? "InfiniBand" : ETHERNET,
            iwarp ? List.of() : List.of(DEFAULT_PKEY), gids, Map.of(), hwCounters, Map.of(), umad);
    }
}
