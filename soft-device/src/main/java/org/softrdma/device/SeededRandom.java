// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device;

/**
 * The only source of randomness in faults and simulations: SplitMix64. Its sequence depends on the seed alone, not on the JDK, so that a
 * seed found last year still replays. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
 */
public final class SeededRandom {
    private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

    private long state;

    public SeededRandom(long seed) {
        state = seed;
    }

    /** Sets the state that the sequence of {@code seed} has after {@code draws} draws. */
    public void jump(long seed, long draws) {
        state = seed + draws * GOLDEN_GAMMA;
    }

    public long nextLong() {
        state += GOLDEN_GAMMA;
        long z = state;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }

    /**
     * Draws a number below a bound.
     *
     * @param bound at least 1
     * @return 0..bound−1
     */
    public int below(int bound) {
        return (int) ((nextLong() >>> 32) * bound >>> 32);
    }

    /**
     * Draws a number from a range.
     *
     * @return min..max, both inclusive; {@code min} if {@code max} is less
     */
    public long between(long min, long max) {
        long next = nextLong();
        return max <= min ? min : min + Long.remainderUnsigned(next, max - min + 1);
    }

    /**
     * Decides whether a random event occurs. Draws exactly once for every rate, so that changing one rate does not change other draws.
     *
     * @param rate probability, from 0 for never to 1 for always
     * @return true if the event occurs
     */
    public boolean chance(double rate) {
        return (nextLong() >>> 11) * 0x1p-53 < rate;
    }
}
