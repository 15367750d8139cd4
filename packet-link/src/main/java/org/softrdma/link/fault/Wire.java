// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import org.softrdma.device.SeededRandom;

/**
 * One direction of a wire, the troubles it is in, and what it does to the packet drawn last. For each packet first {@link #drawPacket},
 * then for each copy of it {@link #drawArrival}; {@link Damage} is about the bytes. Every draw takes the same chances whatever the rates,
 * so that changing one rate leaves the others' outcomes alone.
 */
public final class Wire {
    /** Times before the first packet. */
    private long partitionedUntilNs = Long.MIN_VALUE;
    private long cloggedUntilNs = Long.MIN_VALUE;
    private long lastArrivalNs = Long.MIN_VALUE;

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
        if (startPartition && partitionedUntilNs <= nowNs) {
            partitionedUntilNs = nowNs + partitionNs;
        }
        if (startClog && cloggedUntilNs <= nowNs) {
            cloggedUntilNs = nowNs + clogNs;
        }
        partitioned = nowNs < partitionedUntilNs;
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
        clogged = nowNs < cloggedUntilNs && arrivesNs < cloggedUntilNs;
        if (clogged) {
            arrivesNs = cloggedUntilNs;
        }
        if (reordered) {
            return arrivesNs + extraNs;
        }
        lastArrivalNs = Math.max(arrivesNs, lastArrivalNs);
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
        partitionedUntilNs = Long.MIN_VALUE;
        cloggedUntilNs = Long.MIN_VALUE;
        lastArrivalNs = Long.MIN_VALUE;
    }

    /** A copy arrives at that time, and later ones not before it. */
    public void keepOrderAfter(long arrivesNs) {
        lastArrivalNs = Math.max(lastArrivalNs, arrivesNs);
    }

    /** When the copy sent last arrives that was not reordered; {@link Long#MIN_VALUE} if there was none. */
    public long lastArrivalNs() {
        return lastArrivalNs;
    }
}
