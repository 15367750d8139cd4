// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.device.Counters;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Path;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.fault.HeldPackets;
import org.softrdma.verbs.GidType;

/** Packets a raw link sent to itself, or to a group it is a member of: no wire brings those back. */
final class OwnPackets {
    /** When that many wait, the next one is lost. */
    static final int CAPACITY = 1024;

    private final Counters<RawCounter> counters;
    private final HeldPackets held = new HeldPackets();
    /** Written by the owner, read by whoever waits in its place. */
    private volatile int waiting;

    OwnPackets(Counters<RawCounter> counters) {
        this.counters = counters;
    }

    boolean isEmpty() {
        return waiting == 0;
    }

    /** Takes a copy of a packet. */
    void add(TransmitBatch batch, int index) {
        if (waiting == CAPACITY || batch.length(index) > HeldPackets.MAX_PACKET_BYTES) {
            counters.count(RawCounter.UNSENT_OWN_QUEUE_FULL);
            return;
        }
        HeldPackets.Held copy = held.take();
        int length = batch.length(index);
        Path path = batch.path(index);
        copy.buffer.put(TransmitBatch.HEADROOM, batch.buffer(), batch.offset(index), length);
        copy.frame.begin(copy.buffer, TransmitBatch.HEADROOM, length).ports(path.sourcePort(), path.destPort()).ipId(0)
            .addresses(path.remote(), path.local().high(), path.local().low()).trafficClass(path.trafficClass());
        if (path.type() == GidType.ROCE_V1) {
            copy.frame.roceV1();
        }
        held.hold(copy, 0);
        waiting++;
    }

    /** Hands over up to {@code limit} packets. @return how many */
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
