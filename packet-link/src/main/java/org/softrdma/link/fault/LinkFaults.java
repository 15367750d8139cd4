// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

/**
 * Faults of one device's link. The affected packets follow from the seed and from a packet's number in its direction, counted from the
 * moment the faults were set.
 *
 * @param plan      its shortest delay may be 0, as in {@link #NONE}
 * @param direction of the affected packets; each direction has a wire of its own
 * @param seed      any
 */
public record LinkFaults(FaultPlan plan, FaultDirection direction, long seed) {
    /** The default seed: the same faults every time. */
    public static final long DEFAULT_SEED = 1;
    /** No faults. */
    public static final LinkFaults NONE = new LinkFaults(FaultPlan.NONE.withDelay(0, 0), FaultDirection.TX, DEFAULT_SEED);

    /**
     * Makes faults of sent packets, with {@link #DEFAULT_SEED}.
     *
     * @param plan rates and times
     * @return the faults
     */
    public static LinkFaults of(FaultPlan plan) {
        return new LinkFaults(plan, FaultDirection.TX, DEFAULT_SEED);
    }

    /**
     * Reads the text form: {@code none}, or {@code drop=0.01,reorder=2%:200us,delay=10us-50us,seed=42}; see {@link #SYNTAX}.
     *
     * @param text of {@code rdma link set DEV fault}
     * @return the faults
     * @throws org.softrdma.verbs.VerbsException EINVAL, naming the key, the value and what is allowed
     */
    public static LinkFaults parse(String text) {
        return FaultText.parse(text);
    }

    /** Help text for the syntax of {@link #parse}. */
    public static final String SYNTAX = FaultText.SYNTAX;

    /**
     * Replaces the direction.
     *
     * @param newDirection of the affected packets
     * @return new faults
     */
    public LinkFaults withDirection(FaultDirection newDirection) {
        return new LinkFaults(plan, newDirection, seed);
    }

    /**
     * Replaces the seed.
     *
     * @param newSeed any
     * @return new faults
     */
    public LinkFaults withSeed(long newSeed) {
        return new LinkFaults(plan, direction, newSeed);
    }

    /** {@return whether every packet passes at once and unchanged} */
    public boolean isNone() {
        return plan.isPerfect();
    }

    /** The text form, which {@link #parse} reads as equal faults: no blanks, always with the seed; {@code none} for no faults. */
    @Override
    public String toString() {
        return FaultText.format(this);
    }
}
