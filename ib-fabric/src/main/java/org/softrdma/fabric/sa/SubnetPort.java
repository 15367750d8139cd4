// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.List;
import org.softrdma.wire.ib.IbRate;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PortInfo;

/** A port of a {@link SubnetNode}. */
public final class SubnetPort {
    private final SubnetNode node;
    private final int number;
    private final long guid;
    private final int lid;
    private final ByteBuffer info;
    private final List<Integer> pkeys;
    private SubnetPort peer;

    SubnetPort(SubnetNode node, int number, long guid, int lid, ByteBuffer info, List<Integer> pkeys) {
        this.node = node;
        this.number = number;
        this.guid = guid;
        this.lid = lid;
        this.info = info;
        this.pkeys = pkeys;
    }

    /** Connects two ports by a cable. */
    public void connect(SubnetPort other) {
        peer = other;
        other.peer = this;
    }

    /** Node of the port. */
    SubnetNode node() {
        return node;
    }

    /** Number in the node; 0 is a switch itself. */
    int number() {
        return number;
    }

    /** PortGUID, u64. */
    long guid() {
        return guid;
    }

    int lid() {
        return lid;
    }

    ByteBuffer info() {
        return info;
    }

    /** The port at the other end of the cable, or null. */
    SubnetPort peer() {
        return peer;
    }

    /** P_Keys, u16. */
    List<Integer> pkeys() {
        return pkeys;
    }

    /**
     * The least P_Key by which this port can send to another one, as of a full member; 0 if there is none.
     *
     * @param partition the partition that it has to be, 15 bits; 0 for any
     */
    int commonPkey(SubnetPort other, int partition) {
        int least = 0;
        for (int own : pkeys) {
            int each = own | PKeyBlock.FULL_MEMBER;
            boolean wanted = partition == 0 || (own & PKeyBlock.PARTITION) == partition;
            if (wanted && (least == 0 || each < least) && other.pkeys.stream().anyMatch(theirs -> PKeyBlock.match(own, theirs))) {
                least = each;
            }
        }
        return least;
    }

    /** Whether packets can be addressed to it: an adapter's port, or port 0 of a switch. */
    boolean isEnd() {
        return number == 0 || !node.isSwitch();
    }

    /** Code of the greatest MTU of the port. */
    int greatestMtu() {
        return PortInfo.MTU_CAP.get(info, 0);
    }

    /** Code of the MTU of the link. */
    int mtu() {
        return PortInfo.NEIGHBOR_MTU.get(info, 0);
    }

    /** Code of the link's rate: {@link IbRate}. */
    int rate() {
        return IbRate.ofLink(PortInfo.LINK_WIDTH_ACTIVE.get(info, 0), PortInfo.LINK_SPEED_ACTIVE.get(info, 0),
            PortInfo.LINK_SPEED_EXT_ACTIVE.get(info, 0));
    }
}
