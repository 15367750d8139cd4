// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;

/** Port attributes of an iWARP device, derived from its network interface. */
final class SiwPort {
    /** CM_SUP and DEVICE_MGMT_SUP, as in kernel siw. */
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
     * Hardware address that names the device, 48 bits: the interface's; or if it has none, as the loopback, the first letters of the
     * device's name, as in kernel siw.
     */
    static long hardwareAddress(String device, NetDevice netdev) {
        long letters = 0;
        for (int i = 0; i < HARDWARE_ADDRESS_BYTES; i++) {
            letters = letters << 8 | (i < device.length() ? device.charAt(i) & 0xff : 0);
        }
        return netdev.mac() != 0 ? netdev.mac() : letters;
    }

    /** GID of the device: its hardware address, six bytes, then zeros, as RNICs have it. */
    static GidEntry gid(NetDevice netdev, long hardwareAddress) {
        return new GidEntry(new Gid(hardwareAddress << 16, 0), 0, 1, GidType.IB, netdev.name(), netdev.ifIndex());
    }
}
