// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

/** The devices of a Linux 6.1 with the values it gives them: what the tools were recorded with. */
record KernelDevice(String name, long nodeGuid, NodeType nodeType, String netdev, DeviceDescription describe) implements RdmaDevice {
    private static final long ETH0 = 0x505400fffe770002L;
    private static final long DUMMY0 = 0xc8e11afffe039c24L;
    private static final int LINK_UP = 5;
    private static final int DISABLED = 3;

    /** On an interface with the addresses 10.77.0.2 and fd77::2, MTU 9000. */
    static final KernelDevice RXE0 = rxe("rxe0", ETH0, "eth0", Mtu.MTU_4096, PortState.ACTIVE, LINK_UP,
        new Gid(0xfe80L << 48, ETH0), Gid.ofIpv4(0x0a4d0002), new Gid(0xfd77L << 48, 2));
    /** On an interface without addresses, MTU 1500. */
    static final KernelDevice RXE1 = rxe("rxe1", DUMMY0, "dummy0", Mtu.MTU_1024, PortState.ACTIVE, LINK_UP,
        new Gid(0xfe80L << 48, DUMMY0));
    static final KernelDevice RXE1_DOWN = rxe("rxe1", DUMMY0, "dummy0", Mtu.MTU_1024, PortState.DOWN, DISABLED,
        new Gid(0xfe80L << 48, DUMMY0));
    static final KernelDevice SIW0 = new KernelDevice("siw0", ETH0, NodeType.RNIC, "eth0", new DeviceDescription(
        new DeviceAttributes("0.0.0", ETH0, ETH0, -1L, 0x1000, 0x626d74, 1, 0, 102_400, 32_768, 0x00200000, 6, 1, 0, 102_400, 3_276_800,
            1_024_000, 102_400, 128, 13_107_200, 128, 0, 0, 0, 0, 0, 0, 102_400, 327_680, 6, 0, 0, 1, 2),
        new PortAttributes(PortState.ACTIVE, Mtu.MTU_4096, Mtu.MTU_4096, 1, 0x00090000, 0xffffffffL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
            LINK_UP, 2),
        List.of(new GidEntry(new Gid(0x5254_0077_0002_0000L, 0), 0, 1, GidType.ROCE_V1, "eth0", 2))));

    private static KernelDevice rxe(String name, long guid, String netdev, Mtu mtu, PortState state, int physicalState, Gid... gids) {
        List<GidEntry> table = new ArrayList<>();
        for (Gid gid : gids) {
            table.add(new GidEntry(gid, table.size(), 1, GidType.ROCE_V2, netdev, 2));
        }
        return new KernelDevice(name, guid, NodeType.CA, netdev, new DeviceDescription(
            new DeviceAttributes("0.0.0", guid, guid, -1L, 0xfffff000L, 0xffffff, 0, 0, 1_048_560, 1_048_576, 0x01223c76, 32, 32, 512,
                1_048_576, 32_767, 524_287, 1_048_576, 128, 258_048, 128, 1, 524_287, 8192, 56, 458_752, 32_767, 917_503, 1_048_576, 27,
                64, 15, 1, 2),
            new PortAttributes(state, Mtu.MTU_4096, mtu, 1024, 0x00010000, 0x800000, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, physicalState, 2),
            table));
    }

    @Override
    public Transport transport() {
        return nodeType == NodeType.RNIC ? Transport.IWARP : Transport.INFINIBAND;
    }

    @Override
    public Context open() {
        throw new AssertionError("another process may be running it");
    }
}
