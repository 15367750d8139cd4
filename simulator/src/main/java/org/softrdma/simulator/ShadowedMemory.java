// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;

/**
 * The memory of one side of a simulation and, beside it, what must stand in it: slots with guard bytes around, filled with noise. Whatever
 * is not expected to change must not change, so a stray byte anywhere is found.
 */
final class ShadowedMemory {
    private static final int GUARD_BYTES = 16;

    private final SplittableRandom random;
    private int reserved = GUARD_BYTES;
    private MemoryRegion region;
    private byte[] expected;
    private final BitSet unknown = new BitSet();

    ShadowedMemory(SplittableRandom random) {
        this.random = random;
    }

    /** Before {@link #open}: takes a slot. @return where it starts */
    int reserve(int bytes, int alignment) {
        int at = (reserved + alignment - 1) / alignment * alignment;
        reserved = at + bytes + GUARD_BYTES;
        return at;
    }

    /** Allocates, fills and registers what was reserved. */
    void open(ProtectionDomain pd, long iova, int access) {
        expected = new byte[reserved];
        random.nextBytes(expected);
        MemorySegment memory = Arena.ofAuto().allocate(reserved, 64);
        MemorySegment.copy(expected, 0, memory, ValueLayout.JAVA_BYTE, 0, reserved);
        region = pd.register(memory, iova, access);
    }

    MemoryRegion region() {
        return region;
    }

    byte[] expected(int at, int length) {
        byte[] bytes = new byte[length];
        System.arraycopy(expected, at, bytes, 0, length);
        return bytes;
    }

    /** These bytes will have been placed. */
    void expect(int at, byte[] bytes, int from, int length) {
        System.arraycopy(bytes, from, expected, at, length);
    }

    long expectedWord(int at) {
        return MemorySegment.ofArray(expected).get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }

    void expectWord(int at, long value) {
        MemorySegment.ofArray(expected).set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
    }

    long word(int at) {
        return region.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }

    /** Nobody can know what stands here: a work request that touches it failed halfway. */
    void forget(int at, int length) {
        unknown.set(at, at + length);
    }

    /** Overwrites a slot, as an application may once its data is copied. */
    void scribble(int at, int length) {
        region.memory().asSlice(at, length).fill((byte) 0xee);
    }

    void expectScribble(int at, int length) {
        java.util.Arrays.fill(expected, at, at + length, (byte) 0xee);
    }

    /** @return where memory is not as expected, or null */
    String difference() {
        MemorySegment want = MemorySegment.ofArray(expected);
        long from = 0;
        while (from < reserved) {
            long mismatch = MemorySegment.mismatch(region.memory(), from, reserved, want, from, reserved);
            if (mismatch < 0) {
                return null;
            }
            int at = (int) (from + mismatch);
            if (!unknown.get(at)) {
                return "byte " + at + " is " + (region.memory().get(ValueLayout.JAVA_BYTE, at) & 0xff) + " instead of "
                    + (expected[at] & 0xff);
            }
            from = at + 1L;
        }
        return null;
    }
}
