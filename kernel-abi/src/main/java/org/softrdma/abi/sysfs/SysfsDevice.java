// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.sysfs;

import java.util.List;

/**
 * Values of a device.
 *
 * @param name name; without netlink, libibverbs chooses the driver by it: {@code rxe…} or {@code siw…}
 * @param uverbs number of {@code /dev/infiniband/uverbsN}, 0..31
 * @param abiVersion version of the driver's interface: 2 for rxe, 1 for siw
 * @param nodeType {@link #CA} or {@link #RNIC}
 * @param nodeDesc description, for example {@code rxe}
 * @param fwVersion firmware version; empty for rxe and siw
 * @param nodeGuid GUID of the node, the first byte highest
 * @param sysImageGuid GUID of the system, the first byte highest
 * @param parent network interface in the file {@code parent}, or null for no such file (siw)
 * @param netdevs network interfaces below {@code device/net}; empty for no such directory, as with the kernel's rxe
 * @param ports ports
 */
public record SysfsDevice(String name, int uverbs, int abiVersion, int nodeType, String nodeDesc, String fwVersion, long nodeGuid,
    long sysImageGuid, String parent, List<String> netdevs, List<SysfsPort> ports) {
    /** Channel adapter: InfiniBand and RoCE. */
    public static final int CA = 1;
    /** iWARP adapter. */
    public static final int RNIC = 4;
}
