// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.softrdma.device.Counters;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.fault.HeldPackets;

/**
 * Packets to neighbours whose MAC address is not known yet: they are sent, in order, once it is known, and dropped if the neighbour does
 * not answer or too many wait. A limit per neighbour keeps room for the others.
 */
final class WaitingPackets {
    /** Maximum packets of all neighbours together. */
    static final int CAPACITY = 1024;
    /** Maximum packets of one neighbour. */
    static final int CAPACITY_OF_ONE = 128;
    private static final int AT_ONCE = 128;

    private final Counters<RawCounter> counters;
    /** Pool of buffers. */
    private final HeldPackets held = new HeldPackets();
    private final Map<Neighbour, ArrayDeque<HeldPackets.Held>> queues = new LinkedHashMap<>();
    private TransmitBatch ready;
    private int waiting;

    WaitingPackets(Counters<RawCounter> counters) {
        this.counters = counters;
    }

    boolean isEmpty() {
        return waiting == 0 && (ready == null || ready.isEmpty());
    }

    /** Neighbours that packets wait for. */
    Set<Neighbour> neighbours() {
        return queues.keySet();
    }

    /** Adds a copy of a packet. */
    void add(TransmitBatch batch, int index, Neighbour neighbour) {
        ArrayDeque<HeldPackets.Held> queue = queues.get(neighbour);
        boolean full = waiting == CAPACITY || queue != null && queue.size() == CAPACITY_OF_ONE;
        if (full || batch.length(index) > ReceivedFrame.MAX_PACKET_BYTES) {
            counters.count(RawCounter.UNSENT_NEIGHBOUR_QUEUE_FULL);
            return;
        }
        HeldPackets.Held copy = held.take(batch.length(index));
        copy.buffer.put(TransmitBatch.HEADROOM, batch.buffer(), batch.offset(index), batch.length(index));
        copy.path = batch.path(index);
        copy.frame.begin(copy.buffer, TransmitBatch.HEADROOM, batch.length(index));
        queues.computeIfAbsent(neighbour, first -> new ArrayDeque<>()).add(copy);
        waiting++;
    }

    /**
     * Moves packets to known neighbours into a batch, and drops those to unreachable ones.
     *
     * @return the batch; packets that cannot be sent yet stay in it
     */
    TransmitBatch releaseReady() {
        if (ready == null) {
            ready = new TransmitBatch(AT_ONCE, HeldPackets.MAX_PACKET_BYTES);
        }
        Iterator<Map.Entry<Neighbour, ArrayDeque<HeldPackets.Held>>> each = queues.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Neighbour, ArrayDeque<HeldPackets.Held>> entry = each.next();
            if (entry.getKey().isKnown()) {
                release(entry.getValue());
            } else if (entry.getKey().isUnreachable()) {
                drop(entry.getValue());
            }
            if (entry.getValue().isEmpty()) {
                each.remove();
            }
        }
        return ready;
    }

    private void release(ArrayDeque<HeldPackets.Held> queue) {
        while (!queue.isEmpty() && !ready.isFull()) {
            HeldPackets.Held packet = take(queue);
            ready.buffer().put(ready.begin(packet.path), packet.buffer, packet.frame.offset(), packet.frame.length());
            ready.commit(packet.frame.length());
            held.giveBack(packet);
        }
    }

    private void drop(ArrayDeque<HeldPackets.Held> queue) {
        while (!queue.isEmpty()) {
            counters.count(RawCounter.UNSENT_NEIGHBOUR_UNREACHABLE);
            held.giveBack(take(queue));
        }
    }

    private HeldPackets.Held take(ArrayDeque<HeldPackets.Held> queue) {
        waiting--;
        return queue.remove();
    }
}
