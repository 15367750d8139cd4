// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import org.softrdma.device.SeededRandom;

/**
 * One direction of a wire: its partition and clog, and the faults of the packet drawn last. Call {@link #drawPacket} for each packet, then
 * {@link #drawArrival} for each copy of it; {@link Damage} changes the bytes. Every draw consumes the same random numbers whatever the
 * rates, so that changing one rate does not change the outcomes of the others.
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

    /** Creates a wire without partition and clog. */
    public Wire() {
    }

    /**
     * Draws the faults of a packet as a whole.
     *
     * @param random source of chance
     * @param plan   rates and times
     * @param nowNs  time of the clock
     */
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

    /** {@return whether the packet is lost to a partition, whatever else was drawn} */
    public boolean isPartitioned() {
        return partitioned;
    }

    /** {@return whether the packet is lost at random} */
    public boolean isLost() {
        return lost;
    }

    /** {@return whether the packet travels in two copies} */
    public boolean isDuplicated() {
        return duplicated;
    }

    /**
     * Draws when a copy arrives. Jitter alone keeps the order; a reordered copy can be overtaken.
     *
     * @param random    source of chance
     * @param plan      rates and times
     * @param nowNs     time of the clock
     * @param departsNs time at which it has left its sender
     * @return time at which it arrives
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

    /** {@return whether the copy is delayed} */
    public boolean isDelayed() {
        return delayed;
    }

    /** {@return whether the copy waits for the end of a clog} */
    public boolean isClogged() {
        return clogged;
    }

    /** {@return whether the copy is held so that later ones may overtake it} */
    public boolean isReordered() {
        return reordered;
    }

    /**
     * Drops all packets for a time.
     *
     * @param timeNs end of the partition
     */
    public void partitionUntil(long timeNs) {
        partitionedUntilNs = timeNs;
    }

    /**
     * Holds all packets for a time.
     *
     * @param timeNs end of the clog
     */
    public void clogUntil(long timeNs) {
        cloggedUntilNs = timeNs;
    }

    /** Ends partition and clog, and forgets copies still on their way: call {@link #keepOrderAfter} for each of them. */
    public void heal() {
        partitionedUntilNs = NONE;
        cloggedUntilNs = NONE;
        lastArrivalNs = NONE;
    }

    /**
     * Records the arrival of a copy, which later ones must not precede.
     *
     * @param arrivesNs time of arrival
     */
    public void keepOrderAfter(long arrivesNs) {
        lastArrivalNs = inOrder(arrivesNs);
    }

    /**
     * Finds the earliest time at which a copy arrives without overtaking.
     *
     * @param arrivesNs earliest time that its delay allows
     * @return that time, or the last arrival
     */
    public long inOrder(long arrivesNs) {
        return isBefore(arrivesNs, lastArrivalNs) ? lastArrivalNs : arrivesNs;
    }
}
