// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;

/** Packets a {@link FaultyLink} keeps back until they are due. A bounded number of buffers, made when they are needed, and used again. */
public final class HeldPackets {
    /** When that many are held, the next one is lost, as in the queue of a switch. */
    static final int CAPACITY = 4096;
    /** Longest packet that can be held. */
    public static final int MAX_PACKET_BYTES = ReceivedFrame.MAX_PACKET_BYTES;

    /** One packet, with what is needed to send it, or to hand it over. */
    public static final class Held {
        public final ByteBuffer buffer = ByteBuffer.allocateDirect(TransmitBatch.HEADROOM + MAX_PACKET_BYTES + Damage.MAX_EXTENSION);
        /** Where and how long; of a received packet also from whom. */
        public final ReceivedFrame frame = new ReceivedFrame();
        /** Of a packet to send. */
        public Path path;
        private long dueNs;
        private long sequence;

        private static int compare(Held a, Held b) {
            int byTime = Long.signum(a.dueNs - b.dueNs);
            return byTime != 0 ? byTime : Long.compare(a.sequence, b.sequence);
        }
    }

    private final PriorityQueue<Held> queue = new PriorityQueue<>(Held::compare);
    private final ArrayDeque<Held> pool = new ArrayDeque<>();
    private long sequence;

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** An empty one, or null if all are held. */
    public Held take() {
        if (queue.size() == CAPACITY) {
            return null;
        }
        return pool.isEmpty() ? new Held() : pool.poll();
    }

    public void hold(Held packet, long dueNs) {
        packet.dueNs = dueNs;
        packet.sequence = sequence++;
        queue.add(packet);
    }

    /** When the first is due; {@link Long#MAX_VALUE} if none is held. */
    long earliestNs() {
        return queue.isEmpty() ? Long.MAX_VALUE : queue.peek().dueNs;
    }

    /** Takes out the first that is due, or null. It must be given back. */
    public Held nextDue(long nowNs) {
        return !queue.isEmpty() && queue.peek().dueNs - nowNs <= 0 ? queue.poll() : null;
    }

    public void giveBack(Held packet) {
        packet.path = null;
        pool.add(packet);
    }

    /** Makes all of them due, in the order they would have been. */
    void release(long nowNs) {
        List<Held> all = new ArrayList<>(queue.size());
        while (!queue.isEmpty()) {
            all.add(queue.poll());
        }
        for (Held each : all) {
            hold(each, each.dueNs - nowNs < 0 ? each.dueNs : nowNs);
        }
    }
}
