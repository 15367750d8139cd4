// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.ByteBuffer;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.SubnetPort;
import org.softrdma.rxe.engine.RxeLimits;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.wire.ib.PortInfo;

/** Attributes of the port of an rxe device, derived from its interface, or the registers of its port on a subnet. */
final class RxePort {
    /** CM_SUP, as in kernel rxe. */
    private static final int PORT_CAP_FLAGS = 0x00010000;
    private static final int LINK_UP = 5;
    private static final int POLLING = 2;
    private static final int DISABLED = 3;
    private static final int INFINIBAND = 1;
    /** Code of 4096 bytes. */
    private static final int LARGEST_MTU = 5;
    private static final int ETHERNET = 2;
    /** From LinkSpeedExtActive, whose bit 0 is FDR, to the bit of FDR. */
    private static final int EXTENDED_SPEED = 16;

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

    /**
     * Computes the attributes of a port of an InfiniBand subnet.
     *
     * @param badPkeys packets dropped for their P_Key
     * @param badQkeys packets dropped for their Q_Key
     */
    static PortAttributes attributes(SubnetPort port, int badPkeys, int badQkeys) {
        ByteBuffer info = port.portInfo();
        return new PortAttributes(PortState.of(port.state()), Mtu.of(PortInfo.MTU_CAP.get(info, 0)),
            activeMtu(port), port.guids().size(), PortInfo.CAPABILITY_MASK.get(info, 0), RxeLimits.MAX_MSG_SIZE, badPkeys, badQkeys,
            port.pkeys().size(), port.lid(), port.smLid(), port.lmc(), PortInfo.VL_CAP.get(info, 0),
            PortInfo.SM_SL.get(info, 0), PortInfo.SUBNET_TIMEOUT.get(info, 0), PortInfo.INIT_TYPE_REPLY.get(info, 0),
            PortInfo.LINK_WIDTH_ACTIVE.get(info, 0), speed(info), PortInfo.PHYSICAL_STATE.get(info, 0), INFINIBAND);
    }

    /** The speed as {@link PortAttributes#activeSpeed} has it: the extended one if there is one, FDR and above. */
    private static int speed(ByteBuffer info) {
        int extended = PortInfo.LINK_SPEED_EXT_ACTIVE.get(info, 0);
        return extended == 0 ? PortInfo.LINK_SPEED_ACTIVE.get(info, 0) : extended * EXTENDED_SPEED;
    }

    static boolean isActive(SubnetPort port) {
        return port.state() == PortInfo.STATE_ACTIVE;
    }

    static Mtu activeMtu(SubnetPort port) {
        return Mtu.of(Math.clamp(PortInfo.NEIGHBOR_MTU.get(port.portInfo(), 0), 1, LARGEST_MTU));
    }

    static Mtu activeMtu(NetDevice netdev) {
        return Mtu.of(org.softrdma.wire.roce.Mtu.activeMtu(netdev.mtu()));
    }
}
