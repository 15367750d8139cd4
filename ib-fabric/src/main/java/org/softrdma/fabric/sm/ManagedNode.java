// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import java.util.TreeMap;

/** A node as one sweep found it. */
final class ManagedNode {
    final long guid;
    final boolean isSwitch;
    final int portCount;
    /** Directed route by which the node was found; the first byte is not used. */
    final byte[] path;
    /** Ports by number: all ports of a switch, and those ports of an adapter that were reached. */
    final TreeMap<Integer, ManagedPort> ports = new TreeMap<>();
    /** SwitchInfo; null on other nodes, and before it was read. */
    ByteBuffer switchInfo;

    ManagedNode(long guid, boolean isSwitch, int portCount, byte[] path) {
        this.guid = guid;
        this.isSwitch = isSwitch;
        this.portCount = portCount;
        this.path = path;
    }
}
