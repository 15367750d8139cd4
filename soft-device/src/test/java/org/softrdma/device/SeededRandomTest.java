// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SeededRandomTest {
    @Test
    void shouldBeSplitMix64() {
        // java.util.SplittableRandom(seed) documents the same algorithm.
        SplittableRandom reference = new SplittableRandom(123456789);
        SeededRandom random = new SeededRandom(123456789);
        for (int i = 0; i < 1000; i++) {
            assertEquals(reference.nextLong(), random.nextLong());
        }
    }

    @Test
    void shouldStayInRange() {
        SeededRandom random = new SeededRandom(1);
        for (int i = 0; i < 10_000; i++) {
            int below = random.below(7);
            assertTrue(below >= 0 && below < 7);
            long between = random.between(-3, 3);
            assertTrue(between >= -3 && between <= 3);
            assertEquals(5, random.between(5, 5));
            assertFalse(random.chance(0));
            assertTrue(random.chance(1));
        }
    }
}
