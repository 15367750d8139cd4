// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PsnTest {
    @Test
    void shouldWrapAt24Bits() {
        assertEquals(0, Psn.next(0xFFFFFF));
        assertEquals(0x000001, Psn.next(0));
        assertEquals(0x000004, Psn.add(0xFFFFFE, 6));
        assertEquals(0xFFFFFE, Psn.add(0x000004, -6));
        assertEquals(0x800000, Psn.add(0, 1 << 23));
    }

    @Test
    void shouldOrderAcrossTheWrap() {
        assertTrue(Psn.compare(0xFFFFFF, 0) < 0);
        assertTrue(Psn.compare(0, 0xFFFFFF) > 0);
        assertEquals(0, Psn.compare(0xFFFFFF, 0xFFFFFF));
        assertTrue(Psn.compare(0, 0x7FFFFF) < 0, "just inside half the circle");
        assertTrue(Psn.compare(0, 0x800001) > 0, "just past it");
        assertTrue(Psn.compare(0, 0x800000) < 0 && Psn.compare(0x800000, 0) < 0, "exactly half: before, both ways");
    }

    @Test
    void shouldMeasureForward() {
        assertEquals(0, Psn.distance(5, 5));
        assertEquals(1, Psn.distance(0xFFFFFF, 0));
        assertEquals(0xFFFFFF, Psn.distance(0, 0xFFFFFF));
        assertEquals(8, Psn.distance(0xFFFFFC, 4));
    }

    @Property
    void shouldCompareLikeDistance(@ForAll @IntRange(max = 0xFFFFFF) int a, @ForAll @IntRange(min = 1, max = 0x7FFFFF) int n) {
        int b = Psn.add(a, n);
        assertTrue(b >= 0 && b <= 0xFFFFFF);
        assertTrue(Psn.compare(a, b) < 0);
        assertTrue(Psn.compare(b, a) > 0);
        assertEquals(n, Psn.distance(a, b));
        assertEquals(a, Psn.add(b, -n));
    }
}
