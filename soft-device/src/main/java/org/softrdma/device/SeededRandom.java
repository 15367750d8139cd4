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

    /** Starts over where the sequence of {@code seed} stands after {@code draws} draws. */
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

    /** @return 0..bound−1; {@code bound} is at least 1 */
    public int below(int bound) {
        return (int) ((nextLong() >>> 32) * bound >>> 32);
    }

    /** @return min..max, both inclusive */
    public long between(long min, long max) {
        long next = nextLong();
        return max <= min ? min : min + Long.remainderUnsigned(next, max - min + 1);
    }

    /** @param rate 0 for never, 1 for always. Draws once whatever the rate, so that changing one rate leaves the other draws alone. */
    public boolean chance(double rate) {
        return (nextLong() >>> 11) * 0x1p-53 < rate;
    }
}
