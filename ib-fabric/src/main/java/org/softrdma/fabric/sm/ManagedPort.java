// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import org.softrdma.wire.ib.PortInfo;

/** A port as one sweep found it. */
final class ManagedPort {
    final ManagedNode node;
    final int number;
    /** Directed route to the node by which this port's attributes are read; the first byte is not used. */
    final byte[] path;
    /** u64; 0 for the external ports of switches, which have none. */
    final long guid;
    /** The attribute that was read last; null before. */
    ByteBuffer info;
    /** The port at the other end of the cable; null if there is none or it did not answer. */
    ManagedPort peer;
    /** Assigned LID; 0 if the port has none of its own. */
    int lid;

    ManagedPort(ManagedNode node, int number, byte[] path, long guid) {
        this.node = node;
        this.number = number;
        this.path = path;
        this.guid = guid;
    }

    /** Whether the port is an end of routes: an adapter's port, or port 0 of a switch. */
    boolean isEnd() {
        return number == 0 || !node.isSwitch;
    }

    /** PortState; {@link PortInfo#STATE_DOWN} if it could not be read. */
    int state() {
        return info == null ? PortInfo.STATE_DOWN : PortInfo.STATE.get(info, 0);
    }

    /** Whether there is a link, which carries at least subnet management. */
    boolean hasLink() {
        return number != 0 && state() >= PortInfo.STATE_INIT;
    }
}
