// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;

/** A node of a {@link Subnet}. */
public final class SubnetNode {
    private final ByteBuffer info;
    private final ByteBuffer description;
    private final ByteBuffer switchInfo;
    private final IntUnaryOperator outputs;
    private final IntFunction<BitSet> groupPorts;
    private final TreeMap<Integer, SubnetPort> ports = new TreeMap<>();

    /**
     * Creates a node without ports.
     *
     * @param info        NodeInfo
     * @param description NodeDescription, 64 bytes
     * @param switchInfo  SwitchInfo; null of other nodes
     * @param outputs     output port by LID, from a switch's linear forwarding table; null of other nodes
     * @param groupPorts  ports by multicast LID, from a switch's multicast forwarding table as it is now; null of other nodes
     */
    public SubnetNode(ByteBuffer info, ByteBuffer description, ByteBuffer switchInfo, IntUnaryOperator outputs,
            IntFunction<BitSet> groupPorts) {
        this.info = info;
        this.description = description;
        this.switchInfo = switchInfo;
        this.outputs = outputs;
        this.groupPorts = groupPorts;
    }

    /**
     * Adds a port.
     *
     * @param guid  PortGUID, u64; 0 for an external port of a switch
     * @param lid   LID; of an external port of a switch, that of port 0
     * @param info  PortInfo
     * @param pkeys P_Keys, u16; none of an external port of a switch
     */
    public SubnetPort addPort(int number, long guid, int lid, ByteBuffer info, List<Integer> pkeys) {
        SubnetPort port = new SubnetPort(this, number, guid, lid, info, pkeys);
        ports.put(number, port);
        return port;
    }

    boolean isSwitch() {
        return outputs != null;
    }

    ByteBuffer info() {
        return info;
    }

    ByteBuffer description() {
        return description;
    }

    ByteBuffer switchInfo() {
        return switchInfo;
    }

    /** Ports by number; of an adapter, those that are connected. */
    Collection<SubnetPort> ports() {
        return ports.values();
    }

    /** The port by which a switch sends packets to a LID; null if it drops them. */
    SubnetPort output(int lid) {
        return ports.get(outputNumber(lid));
    }

    /** Entry of a switch's linear forwarding table. */
    int outputNumber(int lid) {
        return outputs.applyAsInt(lid);
    }

    /** Entry of a switch's multicast forwarding table: ports by number. */
    BitSet groupPorts(int mlid) {
        return groupPorts.apply(mlid);
    }
}
