// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

/**
 * The faults of one device's link. Which packets they strike follows from the seed and from a packet's number in its direction, counted
 * from the moment the faults were set.
 *
 * @param plan      its shortest delay may be 0, as in {@link #NONE}
 * @param direction which packets; both directions have wires of their own
 * @param seed      any
 */
public record LinkFaults(FaultPlan plan, FaultDirection direction, long seed) {
    /** The seed of those who name none: the same faults every time. */
    public static final long DEFAULT_SEED = 1;
    /** A link as it is. */
    public static final LinkFaults NONE = new LinkFaults(FaultPlan.NONE.withDelay(0, 0), FaultDirection.TX, DEFAULT_SEED);

    /** Of packets sent, with {@link #DEFAULT_SEED}. */
    public static LinkFaults of(FaultPlan plan) {
        return new LinkFaults(plan, FaultDirection.TX, DEFAULT_SEED);
    }

    /**
     * Reads what people write: {@code none}, or {@code drop=0.01,reorder=2%:200us,delay=10us-50us,seed=42}; {@link #SYNTAX} has the rest.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL, naming the key, the value and what is allowed
     */
    public static LinkFaults parse(String text) {
        return FaultText.parse(text);
    }

    /** What {@link #parse} takes, for people. */
    public static final String SYNTAX = FaultText.SYNTAX;

    public LinkFaults withDirection(FaultDirection newDirection) {
        return new LinkFaults(plan, newDirection, seed);
    }

    public LinkFaults withSeed(long newSeed) {
        return new LinkFaults(plan, direction, newSeed);
    }

    /** Whether every packet passes at once, as it is. */
    public boolean isNone() {
        return plan.isPerfect();
    }

    /** What {@link #parse} makes the same of: no blanks, always with the seed; {@code none} for no faults. */
    @Override
    public String toString() {
        return FaultText.format(this);
    }
}
