// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

/**
 * Faults of a wire. Rates are per packet, 0 for never and 1 for always; times are nanoseconds of the wire's clock, virtual on a simulated
 * fabric.
 *
 * @param loss           the packet is lost
 * @param duplication    the packet arrives twice, the second copy with a delay of its own
 * @param reordering     the packet is held up to {@code reorderMaxNs} longer, and later ones overtake it
 * @param bitFlip        one bit of the packet, anywhere from BTH to ICRC, arrives inverted
 * @param truncation     the packet arrives with fewer bytes, possibly none
 * @param extension      the packet arrives with 1..32 random bytes more
 * @param partition      the packet and all that follow it in this direction are lost for up to {@code partitionMaxNs}
 * @param clog           the packet and all that follow it in this direction are held for up to {@code clogMaxNs}, then arrive at once
 * @param delayMinNs     shortest time on the wire
 * @param delayMaxNs     longest time on the wire; jitter alone never reorders packets of one direction
 * @param reorderMaxNs   at least 1 if {@code reordering} is set
 * @param partitionMaxNs at least 1 if {@code partition} is set
 * @param clogMaxNs      at least 1 if {@code clog} is set
 */
public record FaultPlan(double loss, double duplication, double reordering, double bitFlip, double truncation, double extension,
                        double partition, double clog, long delayMinNs, long delayMaxNs, long reorderMaxNs, long partitionMaxNs,
                        long clogMaxNs) {
    /** A perfect wire of 1 µs. */
    public static final FaultPlan NONE = new FaultPlan(0, 0, 0, 0, 0, 0, 0, 0, 1_000, 1_000, 0, 0, 0);

    /**
     * Checks rates and times.
     *
     * @throws IllegalArgumentException naming what is out of range
     */
    public FaultPlan {
        checkRate("loss", loss);
        checkRate("duplication", duplication);
        checkRate("reordering", reordering);
        checkRate("bitFlip", bitFlip);
        checkRate("truncation", truncation);
        checkRate("extension", extension);
        checkRate("partition", partition);
        checkRate("clog", clog);
        if (delayMinNs < 0 || delayMaxNs < delayMinNs) {
            throw new IllegalArgumentException("delay " + delayMinNs + ".." + delayMaxNs + " ns");
        }
        checkTime("reorderMaxNs", reorderMaxNs, reordering);
        checkTime("partitionMaxNs", partitionMaxNs, partition);
        checkTime("clogMaxNs", clogMaxNs, clog);
    }

    /**
     * Replaces the loss.
     *
     * @param rate 0..1
     * @return a new plan
     * @throws IllegalArgumentException if it is no rate
     */
    public FaultPlan withLoss(double rate) {
        return new FaultPlan(rate, duplication, reordering, bitFlip, truncation, extension, partition, clog, delayMinNs, delayMaxNs,
            reorderMaxNs, partitionMaxNs, clogMaxNs);
    }

    /**
     * Replaces the duplication.
     *
     * @param rate 0..1
     * @return a new plan
     * @throws IllegalArgumentException if it is no rate
     */
    public FaultPlan withDuplication(double rate) {
        return new FaultPlan(loss, rate, reordering, bitFlip, truncation, extension, partition, clog, delayMinNs, delayMaxNs,
            reorderMaxNs, partitionMaxNs, clogMaxNs);
    }

    /**
     * Replaces the reordering.
     *
     * @param rate  0..1
     * @param maxNs longest time that a packet is held
     * @return a new plan
     * @throws IllegalArgumentException if the rate is none, or the time 0 with a rate above 0
     */
    public FaultPlan withReordering(double rate, long maxNs) {
        return new FaultPlan(loss, duplication, rate, bitFlip, truncation, extension, partition, clog, delayMinNs, delayMaxNs,
            maxNs, partitionMaxNs, clogMaxNs);
    }

    /**
     * Replaces the inversion of bits.
     *
     * @param rate 0..1
     * @return a new plan
     * @throws IllegalArgumentException if it is no rate
     */
    public FaultPlan withBitFlip(double rate) {
        return new FaultPlan(loss, duplication, reordering, rate, truncation, extension, partition, clog, delayMinNs, delayMaxNs,
            reorderMaxNs, partitionMaxNs, clogMaxNs);
    }

    /**
     * Replaces the truncation.
     *
     * @param rate 0..1
     * @return a new plan
     * @throws IllegalArgumentException if it is no rate
     */
    public FaultPlan withTruncation(double rate) {
        return new FaultPlan(loss, duplication, reordering, bitFlip, rate, extension, partition, clog, delayMinNs, delayMaxNs,
            reorderMaxNs, partitionMaxNs, clogMaxNs);
    }

    /**
     * Replaces the extension.
     *
     * @param rate 0..1
     * @return a new plan
     * @throws IllegalArgumentException if it is no rate
     */
    public FaultPlan withExtension(double rate) {
        return new FaultPlan(loss, duplication, reordering, bitFlip, truncation, rate, partition, clog, delayMinNs, delayMaxNs,
            reorderMaxNs, partitionMaxNs, clogMaxNs);
    }

    /**
     * Replaces the partitions.
     *
     * @param rate  0..1, of packets with which one begins
     * @param maxNs longest partition
     * @return a new plan
     * @throws IllegalArgumentException if the rate is none, or the time 0 with a rate above 0
     */
    public FaultPlan withPartition(double rate, long maxNs) {
        return new FaultPlan(loss, duplication, reordering, bitFlip, truncation, extension, rate, clog, delayMinNs, delayMaxNs,
            reorderMaxNs, maxNs, clogMaxNs);
    }

    /**
     * Replaces the clogs.
     *
     * @param rate  0..1, of packets with which one begins
     * @param maxNs longest clog
     * @return a new plan
     * @throws IllegalArgumentException if the rate is none, or the time 0 with a rate above 0
     */
    public FaultPlan withClog(double rate, long maxNs) {
        return new FaultPlan(loss, duplication, reordering, bitFlip, truncation, extension, partition, rate, delayMinNs, delayMaxNs,
            reorderMaxNs, partitionMaxNs, maxNs);
    }

    /**
     * Replaces the time on the wire.
     *
     * @param minNs shortest, at least 0
     * @param maxNs longest
     * @return a new plan
     * @throws IllegalArgumentException if the shortest is longer
     */
    public FaultPlan withDelay(long minNs, long maxNs) {
        return new FaultPlan(loss, duplication, reordering, bitFlip, truncation, extension, partition, clog, minNs, maxNs,
            reorderMaxNs, partitionMaxNs, clogMaxNs);
    }

    /** {@return a copy without faults, with the same delays} */
    public FaultPlan healed() {
        return NONE.withDelay(delayMinNs, delayMaxNs);
    }

    /** {@return whether every packet arrives at once and as it was sent} */
    public boolean isPerfect() {
        return loss == 0 && duplication == 0 && reordering == 0 && bitFlip == 0 && truncation == 0 && extension == 0 && partition == 0
            && clog == 0 && delayMaxNs == 0;
    }

    private static void checkRate(String name, double rate) {
        if (!(rate >= 0 && rate <= 1)) {
            throw new IllegalArgumentException(name + " is a rate of 0..1, not " + rate);
        }
    }

    private static void checkTime(String name, long maxNs, double rate) {
        if (maxNs < 0 || rate > 0 && maxNs == 0) {
            throw new IllegalArgumentException(name + " is " + maxNs + " ns at a rate of " + rate);
        }
    }
}
