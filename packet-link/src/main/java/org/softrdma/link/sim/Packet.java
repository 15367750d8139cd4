// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import java.nio.ByteBuffer;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.fault.Damage;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/** One copy of a packet in flight, from the fabric's pool. */
final class Packet {
    static final int OFFSET = TransmitBatch.HEADROOM;
    private static final byte POISON = (byte) 0xA5;

    final ByteBuffer buffer = ByteBuffer.allocateDirect(OFFSET + SimulatedFabric.MAX_SENT_BYTES + Damage.MAX_EXTENSION);
    int length;
    Flow flow;
    /** Destination address in its header: the flow's, or a group's. */
    Gid to;
    GidType type;
    int sourcePort;
    int trafficClass;
    long arrivesNs;
    long sequence;
    boolean held;
    boolean passedPort;

    /** Overwrites the bytes, so that a receiver that kept a reference reads garbage. */
    void poison() {
        for (int i = 0; i < OFFSET + length; i++) {
            buffer.put(i, POISON);
        }
    }

    /** Order of arrival: by time, and at the same time in the order of sending. */
    static int compare(Packet a, Packet b) {
        int byTime = Long.signum(a.arrivesNs - b.arrivesNs);
        return byTime != 0 ? byTime : Long.compare(a.sequence, b.sequence);
    }
}
