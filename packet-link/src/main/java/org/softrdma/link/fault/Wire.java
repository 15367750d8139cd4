// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import org.softrdma.device.SeededRandom;

/**
 * One direction of a wire, the troubles it is in, and what it does to the packet drawn last. For each packet first {@link #drawPacket},
 * then for each copy of it {@link #drawArrival}; {@link Damage} is about the bytes. Every draw takes the same chances whatever the rates,
 * so that changing one rate leaves the others' outcomes alone.
 */
public final class Wire {
    /** No such time; compared for equality only. */
    private static final long NONE = Long.MIN_VALUE;

    private long partitionedUntilNs = NONE;
    private long cloggedUntilNs = NONE;
    /** When the last copy arrives that was not reordered. */
    private long lastArrivalNs = NONE;

    private boolean partitioned;
    private boolean lost;
    private boolean duplicated;
    private boolean delayed;
    private boolean clogged;
    private boolean reordered;

    /** Decides what befalls a packet as a whole. */
    public void drawPacket(SeededRandom random, FaultPlan plan, long nowNs) {
        boolean startPartition = random.chance(plan.partition());
        long partitionNs = random.between(1, plan.partitionMaxNs());
        boolean startClog = random.chance(plan.clog());
        long clogNs = random.between(1, plan.clogMaxNs());
        lost = random.chance(plan.loss());
        duplicated = random.chance(plan.duplication());
        if (startPartition && !isBefore(nowNs, partitionedUntilNs)) {
            partitionedUntilNs = nowNs + partitionNs;
        }
        if (startClog && !isBefore(nowNs, cloggedUntilNs)) {
            cloggedUntilNs = nowNs + clogNs;
        }
        partitioned = isBefore(nowNs, partitionedUntilNs);
    }

    private static boolean isBefore(long timeNs, long untilNs) {
        return untilNs != NONE && timeNs - untilNs < 0;
    }

    /** The wire is cut: whatever else was drawn, the packet is lost. */
    public boolean isPartitioned() {
        return partitioned;
    }

    /** The packet is lost by chance. */
    public boolean isLost() {
        return lost;
    }

    /** Two copies are on their way. */
    public boolean isDuplicated() {
        return duplicated;
    }

    /**
     * Decides when a copy arrives. Jitter alone keeps the order; a reordered copy lets later ones pass.
     *
     * @param departsNs when it has left its sender
     * @return when it arrives
     */
    public long drawArrival(SeededRandom random, FaultPlan plan, long nowNs, long departsNs) {
        long delayNs = random.between(plan.delayMinNs(), plan.delayMaxNs());
        reordered = random.chance(plan.reordering());
        long extraNs = random.between(1, plan.reorderMaxNs());
        long arrivesNs = departsNs + delayNs;
        delayed = delayNs > 0;
        clogged = isBefore(nowNs, cloggedUntilNs) && isBefore(arrivesNs, cloggedUntilNs);
        if (clogged) {
            arrivesNs = cloggedUntilNs;
        }
        if (reordered) {
            return arrivesNs + extraNs;
        }
        lastArrivalNs = inOrder(arrivesNs);
        return lastArrivalNs;
    }

    /** The copy takes longer than no time. */
    public boolean isDelayed() {
        return delayed;
    }

    /** The copy waits until the wire is open again. */
    public boolean isClogged() {
        return clogged;
    }

    /** The copy waits so that later ones may overtake it. */
    public boolean isReordered() {
        return reordered;
    }

    /** Loses everything up to that time. */
    public void partitionUntil(long timeNs) {
        partitionedUntilNs = timeNs;
    }

    /** Holds everything up to that time. */
    public void clogUntil(long timeNs) {
        cloggedUntilNs = timeNs;
    }

    /** Ends partition and clog, and forgets what is still on its way: {@link #keepOrderAfter} tells. */
    public void heal() {
        partitionedUntilNs = NONE;
        cloggedUntilNs = NONE;
        lastArrivalNs = NONE;
    }

    /** A copy arrives at that time, and later ones not before it. */
    public void keepOrderAfter(long arrivesNs) {
        lastArrivalNs = inOrder(arrivesNs);
    }

    /** The earliest time from {@code arrivesNs} on at which a copy arrives without overtaking. */
    public long inOrder(long arrivesNs) {
        return isBefore(arrivesNs, lastArrivalNs) ? lastArrivalNs : arrivesNs;
    }
}
