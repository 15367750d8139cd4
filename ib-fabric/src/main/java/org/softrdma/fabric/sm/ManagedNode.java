// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import java.util.TreeMap;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.Smp;

/** A node as one sweep found it. */
final class ManagedNode {
    final long guid;
    final boolean isSwitch;
    final int portCount;
    /** Directed route by which the node was found; the first byte is not used. */
    final byte[] path;
    /** Ports by number: all ports of a switch, and those ports of an adapter that were reached. */
    final TreeMap<Integer, ManagedPort> ports = new TreeMap<>();
    /** NodeInfo as of the port by which the node was found. */
    final ByteBuffer info;
    /** NodeDescription; zeros before it was read. */
    ByteBuffer description = ByteBuffer.allocate(Smp.DATA_LENGTH);
    /** SwitchInfo; null on other nodes, and before it was read. */
    ByteBuffer switchInfo;

    ManagedNode(ByteBuffer info, byte[] path) {
        this.info = info;
        this.path = path;
        guid = NodeInfo.NODE_GUID.getLong(info, 0);
        isSwitch = NodeInfo.TYPE.get(info, 0) == NodeInfo.TYPE_SWITCH;
        portCount = NodeInfo.PORTS.get(info, 0);
    }
}
