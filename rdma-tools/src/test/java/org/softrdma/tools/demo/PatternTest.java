// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PatternTest {
    @Test
    void shouldDifferBySeedCaseAndMessage() {
        Set<Integer> seen = new HashSet<>();
        for (int seed = 0; seed < 3; seed++) {
            for (int number = 0; number < 3; number++) {
                for (int message = 0; message < 3; message++) {
                    seen.add(Arrays.hashCode(bytes(seed, number, message, 64)));
                }
            }
        }
        assertEquals(27, seen.size());
    }

    @Test
    void shouldFillEveryByteOfOddSizes() {
        for (int size = 1; size < 40; size++) {
            byte[] shorter = bytes(7, 1, 2, size);
            byte[] longer = bytes(7, 1, 2, 40);
            assertEquals(-1, MemorySegment.ofArray(shorter).mismatch(MemorySegment.ofArray(longer).asSlice(0, size)));
        }
        assertNotEquals(0, bytes(7, 1, 2, 9)[8]);
    }

    private static byte[] bytes(long seed, int number, int message, int size) {
        byte[] bytes = new byte[size];
        new Pattern(seed).fill(MemorySegment.ofArray(bytes), number, message);
        return bytes;
    }
}
