// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.host.config.NetDevice;
import org.softrdma.rxe.engine.RxeLimits;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;

/** Attributes of the port of an rxe device, derived from its interface. */
final class RxePort {
    /** CM_SUP, as in kernel rxe. */
    private static final int PORT_CAP_FLAGS = 0x00010000;
    private static final int LINK_UP = 5;
    private static final int POLLING = 2;
    private static final int DISABLED = 3;
    private static final int ETHERNET = 2;

    private RxePort() {
    }

    /**
     * Computes the port attributes.
     *
     * @param badPkeys packets dropped for their P_Key
     * @param badQkeys packets dropped for their Q_Key
     */
    static PortAttributes attributes(NetDevice netdev, int badPkeys, int badQkeys) {
        boolean active = netdev.isActive();
        return new PortAttributes(active ? PortState.ACTIVE : PortState.DOWN, Mtu.MTU_4096, activeMtu(netdev), RxeLimits.GID_TABLE_LENGTH,
            PORT_CAP_FLAGS, RxeLimits.MAX_MSG_SIZE, badPkeys, badQkeys, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1,
            active ? LINK_UP : netdev.up() ? POLLING : DISABLED, ETHERNET);
    }

    static Mtu activeMtu(NetDevice netdev) {
        return Mtu.of(org.softrdma.wire.roce.Mtu.activeMtu(netdev.mtu()));
    }
}
