// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.device.Counters;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.fault.HeldPackets;

/** Packets of a raw link to its own addresses, or to a group it is a member of: the interface does not return them. */
final class OwnPackets {
    /** Maximum packets waiting; further ones are dropped. */
    static final int CAPACITY = 1024;

    private final Counters<RawCounter> counters;
    private final HeldPackets held = new HeldPackets();
    /** Written by the owner, read by the thread that waits for it. */
    private volatile int waiting;

    OwnPackets(Counters<RawCounter> counters) {
        this.counters = counters;
    }

    boolean isEmpty() {
        return waiting == 0;
    }

    /** Adds a copy of a packet. */
    void add(TransmitBatch batch, int index) {
        if (waiting == CAPACITY || batch.length(index) > ReceivedFrame.MAX_PACKET_BYTES) {
            counters.count(RawCounter.UNSENT_OWN_QUEUE_FULL);
            return;
        }
        int length = batch.length(index);
        HeldPackets.Held copy = held.take(length);
        copy.buffer.put(TransmitBatch.HEADROOM, batch.buffer(), batch.offset(index), length);
        copy.frame.begin(copy.buffer, TransmitBatch.HEADROOM, length).sentBy(batch.path(index));
        held.hold(copy, 0);
        waiting++;
    }

    /**
     * Delivers up to {@code limit} packets.
     *
     * @return packets delivered
     */
    int poll(FrameHandler handler, int limit) {
        int count = 0;
        while (count < limit && waiting > 0) {
            HeldPackets.Held packet = held.nextDue(0);
            waiting--;
            handler.onFrame(packet.frame);
            held.giveBack(packet);
            count++;
        }
        return count;
    }
}
