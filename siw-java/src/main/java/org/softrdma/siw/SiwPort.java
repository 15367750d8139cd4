// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.device.config.NetDevice;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;

/** What the port of an iWARP device is like, which its interface decides. */
final class SiwPort {
    /** CM_SUP and DEVICE_MGMT_SUP, as kernel siw has it. */
    private static final int PORT_CAP_FLAGS = 0x00090000;
    private static final int HARDWARE_ADDRESS_BYTES = 6;
    private static final int LINK_UP = 5;
    private static final int DISABLED = 3;
    private static final int ETHERNET = 2;

    private SiwPort() {
    }

    static PortAttributes attributes(NetDevice netdev) {
        boolean active = netdev.isActive();
        Mtu mtu = Mtu.of(org.softrdma.wire.roce.Mtu.activeMtu(netdev.mtu()));
        return new PortAttributes(active ? PortState.ACTIVE : PortState.DOWN, mtu, mtu, 1, PORT_CAP_FLAGS, SiwLimits.MAX_MSG_SIZE, 0, 0, 1,
            0, 0, 0, 0, 0, 0, 0, 1, 1, active ? LINK_UP : DISABLED, ETHERNET);
    }

    /**
     * What names the device, 48 bits: its interface's address; where that has none, as the loopback, the first letters of the device's
     * name, as kernel siw does it.
     */
    static long hardwareAddress(String device, NetDevice netdev) {
        long letters = 0;
        for (int i = 0; i < HARDWARE_ADDRESS_BYTES; i++) {
            letters = letters << 8 | (i < device.length() ? device.charAt(i) & 0xff : 0);
        }
        return netdev.mac() != 0 ? netdev.mac() : letters;
    }

    /** RNICs name themselves by their hardware address: six bytes, then zeros. */
    static GidEntry gid(NetDevice netdev, long hardwareAddress) {
        return new GidEntry(new Gid(hardwareAddress << 16, 0), 0, 1, GidType.IB, netdev.name(), netdev.ifIndex());
    }
}
