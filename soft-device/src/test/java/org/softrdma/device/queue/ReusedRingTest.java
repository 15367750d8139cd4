// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ReusedRingTest {
    private int made;
    private final ReusedRing<int[]> ring = new ReusedRing<>(3, () -> new int[] {made++});

    @Test
    void shouldMakeAnObjectOnlyWhenItsSlotIsFirstNeeded() {
        int[] first = ring.add();
        ring.removeOldest();
        assertSame(first, ring.add());
        assertEquals(1, made);
        ring.add();
        ring.clear();
        assertTrue(ring.isEmpty());
        assertSame(first, ring.add());
        assertEquals(2, made);
    }

    @Test
    void shouldKeepTheOrderAcrossItsEnd() {
        int[] a = ring.add();
        int[] b = ring.add();
        int[] c = ring.add();
        assertTrue(ring.isFull());
        ring.removeOldest();
        assertFalse(ring.isFull());
        assertSame(a, ring.add());
        assertSame(b, ring.oldest());
        assertSame(c, ring.at(1));
        assertSame(a, ring.newest());
        ring.removeNewest();
        assertSame(c, ring.newest());
        assertEquals(2, ring.size());
    }
}
