// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.softrdma.device.agent.Deadline;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;

/** Packets held until they are due, in a bounded number of buffers, which are allocated on demand and reused. */
public final class HeldPackets {
    /** Maximum packets held; further ones are dropped, as in the queue of a switch. */
    static final int CAPACITY = 4096;
    /** Longest packet that can be held. */
    public static final int MAX_PACKET_BYTES = ReceivedFrame.MAX_BYTES_IN_MEMORY;
    /** Maximum bytes held: as many as the maximum of packets from a wire. */
    private static final int CAPACITY_BYTES = CAPACITY * ReceivedFrame.MAX_PACKET_BYTES;

    /** One packet, with its path if it is to be sent, and its headers if it was received. */
    public static final class Held {
        /** Room for a packet and its extension; big-endian. */
        public final ByteBuffer buffer;
        /** Offset and length of the packet; of a received packet also its addresses. */
        public final ReceivedFrame frame = new ReceivedFrame();
        /** Path of a packet to send; otherwise null. */
        public Path path;
        private final int longest;
        private long dueNs;
        private long sequence;

        /** @param longest packet that it can take */
        private Held(int longest) {
            this.longest = longest;
            buffer = ByteBuffer.allocateDirect(TransmitBatch.HEADROOM + longest + Damage.MAX_EXTENSION);
        }

        private static int compare(Held a, Held b) {
            int byTime = Long.signum(a.dueNs - b.dueNs);
            return byTime != 0 ? byTime : Long.compare(a.sequence, b.sequence);
        }
    }

    private final PriorityQueue<Held> queue = new PriorityQueue<>(Held::compare);
    private final ArrayDeque<Held> pool = new ArrayDeque<>();
    private final ArrayDeque<Held> poolOfLong = new ArrayDeque<>();
    private int heldBytes;
    private long sequence;

    /** Creates a queue that holds nothing. */
    public HeldPackets() {
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /**
     * Takes an empty buffer.
     *
     * @param bytes of the packet
     * @return null if as much is held as can be
     */
    public Held take(int bytes) {
        boolean isLong = bytes > ReceivedFrame.MAX_PACKET_BYTES;
        int longest = isLong ? MAX_PACKET_BYTES : ReceivedFrame.MAX_PACKET_BYTES;
        if (queue.size() == CAPACITY || longest > CAPACITY_BYTES - heldBytes) {
            return null;
        }
        Held empty = (isLong ? poolOfLong : pool).poll();
        return empty == null ? new Held(longest) : empty;
    }

    /**
     * Holds a packet. Packets with the same time keep their order.
     *
     * @param packet in a buffer of {@link #take}
     * @param dueNs  time at which {@link #nextDue} returns it
     */
    public void hold(Held packet, long dueNs) {
        packet.dueNs = dueNs;
        packet.sequence = sequence++;
        heldBytes += packet.longest;
        queue.add(packet);
    }

    /** Time at which the first packet is due; {@link Deadline#NEVER} if none is held. */
    long earliestNs() {
        return queue.isEmpty() ? Deadline.NEVER : queue.peek().dueNs;
    }

    /**
     * Takes the first packet that is due.
     *
     * @param nowNs time
     * @return null if there is none; the caller must give it back
     */
    public Held nextDue(long nowNs) {
        if (queue.isEmpty() || queue.peek().dueNs - nowNs > 0) {
            return null;
        }
        Held due = queue.poll();
        heldBytes -= due.longest;
        return due;
    }

    /**
     * Returns a buffer to the pool.
     *
     * @param packet no longer used
     */
    public void giveBack(Held packet) {
        packet.path = null;
        (packet.longest > ReceivedFrame.MAX_PACKET_BYTES ? poolOfLong : pool).add(packet);
    }

    /** Makes all packets due now, in their order. */
    void release(long nowNs) {
        List<Held> all = new ArrayList<>(queue.size());
        while (!queue.isEmpty()) {
            all.add(queue.poll());
        }
        heldBytes = 0;
        for (Held each : all) {
            hold(each, each.dueNs - nowNs < 0 ? each.dueNs : nowNs);
        }
    }
}
