// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PortInfo;

/**
 * A port of an InfiniBand subnet at one moment: its registers, as subnet management reads and writes them. Immutable.
 *
 * @param name     for people: where on which fabric
 * @param nodeInfo NodeInfo, {@link NodeInfo#LENGTH} bytes
 * @param portInfo PortInfo, {@link PortInfo#LENGTH} bytes
 * @param pkeys    the P_Key table; 0 for unused entries
 * @param guids    the GUID table; 0 for unused entries
 * @param reregistrations how often the subnet manager asked clients of subnet administration to register again
 */
public record SubnetPort(String name, ByteBuffer nodeInfo, ByteBuffer portInfo, List<Integer> pkeys, List<Long> guids,
                         int reregistrations) {
    public SubnetPort {
        nodeInfo = copy(nodeInfo, NodeInfo.LENGTH);
        portInfo = copy(portInfo, PortInfo.LENGTH);
        pkeys = List.copyOf(pkeys);
        guids = List.copyOf(guids);
    }

    private static ByteBuffer copy(ByteBuffer from, int length) {
        return ByteBuffer.allocate(length).put(0, from, 0, length).asReadOnlyBuffer();
    }

    /** The port after its connection to the subnet has ended. */
    public SubnetPort down() {
        ByteBuffer info = ByteBuffer.allocate(PortInfo.LENGTH).put(0, portInfo, 0, PortInfo.LENGTH);
        PortInfo.STATE.set(info, 0, PortInfo.STATE_DOWN);
        PortInfo.PHYSICAL_STATE.set(info, 0, PortInfo.PHYSICAL_POLLING);
        return new SubnetPort(name, nodeInfo, info, pkeys, guids, reregistrations);
    }

    /** GUID of the node, u64. */
    public long nodeGuid() {
        return NodeInfo.NODE_GUID.getLong(nodeInfo, 0);
    }

    /** GUID of the system that the node is a part of, u64. */
    public long systemGuid() {
        return NodeInfo.SYSTEM_GUID.getLong(nodeInfo, 0);
    }

    /** PortState, as in {@link PortInfo}. */
    public int state() {
        return PortInfo.STATE.get(portInfo, 0);
    }

    /** Base LID, u16; 0 before a subnet manager gave one. */
    public int lid() {
        return PortInfo.LID.get(portInfo, 0);
    }

    /** LID of the master subnet manager, u16; 0 if none is known. */
    public int smLid() {
        return PortInfo.SM_LID.get(portInfo, 0);
    }

    /** Number of low bits of LIDs that are the port's to choose, 0..7. */
    public int lmc() {
        return PortInfo.LMC.get(portInfo, 0);
    }

    /** Whether a LID is one of the port's. */
    public boolean owns(int any) {
        return lid() != 0 && any >>> lmc() == lid() >>> lmc();
    }

    /** Greatest payload of a packet, bytes. */
    public int mtu() {
        return 128 << Math.clamp(PortInfo.NEIGHBOR_MTU.get(portInfo, 0), 1, 5);
    }

    /** Whether one of the port's P_Keys can communicate with that one. IBA vol 1 §10.9.3 */
    public boolean hasPartitionOf(int pkey) {
        for (int i = 0; i < pkeys.size(); i++) {
            if (PKeyBlock.match(pkeys.get(i), pkey)) {
                return true;
            }
        }
        return false;
    }

    /** GID at an index of the table: the subnet's prefix and the GUID; {@link Gid#ZERO} for an unused entry. */
    public Gid gid(int index) {
        long guid = index < guids.size() ? guids.get(index) : 0;
        return guid == 0 ? Gid.ZERO : new Gid(PortInfo.GID_PREFIX.getLong(portInfo, 0), guid);
    }

    /** The used GIDs, in the order of the table. */
    public List<Gid> gids() {
        List<Gid> gids = new ArrayList<>();
        for (int i = 0; i < guids.size(); i++) {
            if (guids.get(i) != 0) {
                gids.add(gid(i));
            }
        }
        return gids;
    }
}
