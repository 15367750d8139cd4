// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that depend on a seed, the case and the message, so that no message can be mistaken for another one. */
final class Pattern {
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private final long seed;

    Pattern(long seed) {
        this.seed = seed;
    }

    /** Fills {@code memory} with the bytes of message {@code message} of case {@code number}. */
    void fill(MemorySegment memory, int number, int message) {
        long words = memory.byteSize() / 8;
        for (long i = 0; i < words; i++) {
            memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, word(number, message, i));
        }
        long last = word(number, message, words);
        for (long at = words * 8; at < memory.byteSize(); at++, last >>>= 8) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) last);
        }
    }

    /** @return the word at {@code index}: SplitMix64 (Steele, Lea and Flood 2014) of the four numbers */
    long word(int number, int message, long index) {
        long z = seed + (((long) number << 56) + ((long) message << 32) + index) * GOLDEN_GAMMA;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
