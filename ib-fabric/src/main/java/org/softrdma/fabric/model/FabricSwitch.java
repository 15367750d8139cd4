// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.softrdma.fabric.topology.Topology;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MulticastForwardingBlock;
import org.softrdma.wire.ib.SwitchInfo;

/** A switch: a node with forwarding tables, which decide where packets go, and nothing else does. */
public final class FabricSwitch extends FabricNode {
    /** LIDs of the linear forwarding table. */
    static final int LINEAR_CAP = Lrh.LAST_UNICAST_LID + 1;
    /** Groups of the multicast forwarding table. */
    static final int MULTICAST_CAP = 1024;
    private static final int LIFE_TIME = 18;

    private final ByteBuffer switchInfo = ByteBuffer.allocate(SwitchInfo.LENGTH);
    private final byte[] linear = new byte[LINEAR_CAP];
    /** Ports of each group, in words of 16. */
    private final short[] multicast;
    private final int positions;
    private int linearTop;

    FabricSwitch(Topology.Node made) {
        super(made);
        positions = (made.ports() + MulticastForwardingBlock.PORTS) / MulticastForwardingBlock.PORTS;
        multicast = new short[MULTICAST_CAP * positions];
        Arrays.fill(linear, (byte) LinearForwardingBlock.NO_PORT);
        SwitchInfo.LINEAR_CAP.set(switchInfo, 0, LINEAR_CAP);
        SwitchInfo.MULTICAST_CAP.set(switchInfo, 0, MULTICAST_CAP);
        SwitchInfo.LIFE_TIME.set(switchInfo, 0, LIFE_TIME);
        SwitchInfo.PARTITION_ENFORCEMENT_CAP.set(switchInfo, 0, FabricPort.PKEYS);
        SwitchInfo.INBOUND_ENFORCEMENT_CAP.set(switchInfo, 0, 1);
        SwitchInfo.OUTBOUND_ENFORCEMENT_CAP.set(switchInfo, 0, 1);
        SwitchInfo.ENHANCED_PORT_0.set(switchInfo, 0, made.enhancedPort0() ? 1 : 0);
    }

    ByteBuffer switchInfo() {
        return switchInfo;
    }

    boolean isPort0Enhanced() {
        return SwitchInfo.ENHANCED_PORT_0.isSet(switchInfo, 0);
    }

    /** Takes over the limit of the linear table after {@link #switchInfo} was changed. */
    void refresh() {
        linearTop = SwitchInfo.LINEAR_TOP.get(switchInfo, 0);
    }

    /** Ports in words of 16 that the multicast table has. */
    int positions() {
        return positions;
    }

    /** Output port of a LID, 0 for the switch itself; {@link LinearForwardingBlock#NO_PORT} if it has none. */
    public int outputPort(int lid) {
        return lid > linearTop ? LinearForwardingBlock.NO_PORT : linear[lid] & 0xFF;
    }

    /** Whether a port belongs to the tree of a multicast LID. */
    public boolean isGroupPort(int mlid, int port) {
        int index = mlid - Lrh.FIRST_MULTICAST_LID;
        return index < MULTICAST_CAP
            && (multicast[index * positions + port / MulticastForwardingBlock.PORTS] >>> port % MulticastForwardingBlock.PORTS & 1) != 0;
    }

    void copyLinearBlock(int block, ByteBuffer to, int at) {
        to.put(at, linear, block * LinearForwardingBlock.ENTRIES, LinearForwardingBlock.ENTRIES);
    }

    void setLinearBlock(int block, ByteBuffer from, int at) {
        from.get(at, linear, block * LinearForwardingBlock.ENTRIES, LinearForwardingBlock.ENTRIES);
    }

    void copyMulticastBlock(int block, int position, ByteBuffer to, int at) {
        for (int i = 0; i < MulticastForwardingBlock.ENTRIES; i++) {
            int index = block * MulticastForwardingBlock.ENTRIES + i;
            MulticastForwardingBlock.set(to, at, i, multicast[index * positions + position]);
        }
    }

    void setMulticastBlock(int block, int position, ByteBuffer from, int at) {
        for (int i = 0; i < MulticastForwardingBlock.ENTRIES; i++) {
            int index = block * MulticastForwardingBlock.ENTRIES + i;
            multicast[index * positions + position] = (short) MulticastForwardingBlock.get(from, at, i);
        }
    }

    /** Clears all that subnet management wrote, as a loss of power does. */
    void clearTables() {
        Arrays.fill(linear, (byte) LinearForwardingBlock.NO_PORT);
        Arrays.fill(multicast, (short) 0);
        SwitchInfo.LINEAR_TOP.set(switchInfo, 0, 0);
        SwitchInfo.MULTICAST_TOP.set(switchInfo, 0, 0);
        refresh();
    }
}
