// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import java.nio.ByteBuffer;
import org.softrdma.device.Counters;
import org.softrdma.device.SeededRandom;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;

/** One direction of a {@link FaultyLink}: decides the fate of each packet, and holds packets that are delayed or changed. */
final class FaultyDirection {
    /** Random draws reserved for each packet, more than it can use: its fate depends on its number, not on the packets before it. */
    private static final long DRAWS_PER_PACKET = 128;
    /** Minimum length after truncation, BTH and ICRC: a shorter packet would not survive in a train. */
    private static final int SHORTEST_BYTES = 16;

    private final Counters<FaultCounter> counters;
    private final HeldPackets held = new HeldPackets();
    private final Wire wire = new Wire();
    private final Damage damage = new Damage();
    private final SeededRandom random = new SeededRandom(0);
    /** Null for no faults. */
    private FaultPlan plan;
    private long seed;
    private long packets;

    FaultyDirection(Counters<FaultCounter> counters) {
        this.counters = counters;
    }

    /**
     * Replaces the plan: partitions and clogs end, held packets are due now, and the next packet is number 0.
     *
     * @param newPlan null for no faults
     */
    void change(FaultPlan newPlan, long newSeed, long nowNs) {
        plan = newPlan;
        seed = newSeed;
        packets = 0;
        wire.heal();
        held.release(nowNs);
    }

    /** Whether there are no faults and no held packets. */
    boolean isClear() {
        return plan == null && held.isEmpty();
    }

    HeldPackets held() {
        return held;
    }

    /**
     * Decides the fate of the next packet. No held packet may be {@linkplain HeldPackets#nextDue due}.
     *
     * @param path  of a packet to send, or null
     * @param frame of a received packet, or null
     * @return whether it passes unchanged; if not, it is dropped, or its copies are held, perhaps due at once
     */
    boolean passes(long nowNs, ByteBuffer buffer, int offset, int length, Path path, ReceivedFrame frame) {
        if (plan == null) {
            return true;
        }
        random.jump(seed, packets++ * DRAWS_PER_PACKET);
        if (length > HeldPackets.MAX_PACKET_BYTES) {
            return true;
        }
        wire.drawPacket(random, plan, nowNs);
        if (wire.isPartitioned()) {
            counters.count(FaultCounter.FAULT_PARTITIONED);
            return false;
        }
        if (wire.isLost()) {
            counters.count(FaultCounter.FAULT_DROPPED);
            return false;
        }
        if (wire.isDuplicated()) {
            counters.count(FaultCounter.FAULT_DUPLICATED);
            damage.draw(random, plan, length);
            hold(wire.drawArrival(random, plan, nowNs, nowNs), buffer, offset, length, path, frame);
        }
        damage.draw(random, plan, length);
        long arrivesNs = wire.drawArrival(random, plan, nowNs, nowNs);
        if (!wire.isDuplicated() && !damage.isAny() && arrivesNs - nowNs <= 0) {
            return true;
        }
        hold(arrivesNs, buffer, offset, length, path, frame);
        return false;
    }

    private void hold(long dueNs, ByteBuffer buffer, int offset, int length, Path path, ReceivedFrame frame) {
        HeldPackets.Held copy = held.take(length);
        if (copy == null) {
            counters.count(FaultCounter.FAULT_QUEUE_FULL);
            return;
        }
        countDelay();
        copy.buffer.put(TransmitBatch.HEADROOM, buffer, offset, length);
        int left = damaged(copy.buffer, length);
        copy.path = path;
        if (frame == null) {
            copy.frame.begin(copy.buffer, TransmitBatch.HEADROOM, left);
        } else {
            copy.frame.begin(copy.buffer, TransmitBatch.HEADROOM, left, frame);
        }
        held.hold(copy, dueNs);
    }

    private void countDelay() {
        if (wire.isDelayed()) {
            counters.count(FaultCounter.FAULT_DELAYED);
        }
        if (wire.isReordered()) {
            counters.count(FaultCounter.FAULT_REORDERED);
        }
        if (wire.isClogged()) {
            counters.count(FaultCounter.FAULT_CLOGGED);
        }
    }

    /**
     * Applies the drawn changes to a copy.
     *
     * @return the new length
     */
    private int damaged(ByteBuffer copy, int length) {
        if (damage.isFlipped()) {
            counters.count(FaultCounter.FAULT_CORRUPTED);
            damage.flip(copy, TransmitBatch.HEADROOM);
        }
        if (damage.isTruncated()) {
            counters.count(FaultCounter.FAULT_TRUNCATED);
            return Math.min(length, Math.max(SHORTEST_BYTES, damage.truncate()));
        }
        if (damage.isExtended()) {
            counters.count(FaultCounter.FAULT_EXTENDED);
            return damage.extend(random, copy, TransmitBatch.HEADROOM, length);
        }
        return length;
    }
}
