// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.softrdma.verbs.AccessFlags;

class RegionTest {
    private static final long HIGH_HALF = Long.MIN_VALUE;
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

    private static Region region(long start, long length) {
        return new Region(null, 0, start, length, AccessFlags.LOCAL_WRITE, 0x100, 7, 0, null, null);
    }

    @Example
    void shouldCoverExactlyItsBytes() {
        Region region = region(0x1000, 100);
        assertTrue(region.covers(0x1000, 100));
        assertTrue(region.covers(0x1000, 1));
        assertTrue(region.covers(0x1063, 1));
        assertFalse(region.covers(0x1064, 1));
        assertFalse(region.covers(0xfff, 1));
        assertFalse(region.covers(0xfff, 101));
        assertFalse(region.covers(0x1000, 101));
        assertFalse(region.covers(0x1063, 2));
        assertFalse(region.covers(0x1000, -1), "a length that overflowed");
        assertFalse(region.covers(0x1000, Long.MIN_VALUE));
        assertFalse(region.covers(0x1001, Long.MAX_VALUE));
    }

    @Example
    void shouldCoverNothingAtAnyAddressInside() {
        Region region = region(0x1000, 100);
        assertTrue(region.covers(0x1000, 0));
        assertTrue(region.covers(0x1064, 0));
        assertFalse(region.covers(0x1065, 0));
        assertFalse(region.covers(0xfff, 0));
        Region empty = region(0x1000, 0);
        assertTrue(empty.covers(0x1000, 0));
        assertFalse(empty.covers(0x1000, 1));
    }

    @Example
    void shouldStartAtZero() {
        Region region = region(0, 16);
        assertTrue(region.covers(0, 16));
        assertFalse(region.covers(0, 17));
        assertFalse(region.covers(-1, 1));
        assertFalse(region.covers(-1, 17));
        assertFalse(region.covers(HIGH_HALF, 1));
    }

    @Example
    void shouldCrossTheMiddleOfTheAddressSpace() {
        Region region = region(HIGH_HALF - 50, 100);
        assertTrue(region.covers(HIGH_HALF - 50, 100));
        assertTrue(region.covers(HIGH_HALF - 1, 2));
        assertTrue(region.covers(HIGH_HALF + 49, 1));
        assertFalse(region.covers(HIGH_HALF + 49, 2));
        assertFalse(region.covers(HIGH_HALF - 51, 2));
    }

    @Example
    void shouldEndAtTheEndOfTheAddressSpace() {
        Region region = region(-100, 100);
        assertTrue(region.covers(-100, 100));
        assertTrue(region.covers(-1, 1));
        assertFalse(region.covers(-1, 2), "past 2^64");
        assertFalse(region.covers(0, 1));
        assertFalse(region.covers(-100, 101));
        assertFalse(region.covers(-101, 1));
    }

    /** Compares with unbounded arithmetic around the values where 64 bits overflow. */
    @Property(tries = 5_000)
    void shouldAgreeWithUnboundedArithmetic(@ForAll @IntRange(min = 0, max = 3) int place, @ForAll @IntRange(min = -40, max = 40) int from,
                                            @ForAll @IntRange(min = 0, max = 60) int length, @ForAll @IntRange(min = -70, max = 70) int va,
                                            @ForAll @IntRange(min = 0, max = 80) int bytes) {
        long base = new long[] {0, Long.MAX_VALUE, HIGH_HALF + 12345, -1}[place];
        BigInteger start = unsigned(base + from);
        BigInteger end = start.add(BigInteger.valueOf(length));
        if (end.compareTo(TWO_64) > 0) {
            return;
        }
        BigInteger first = unsigned(base + va);
        BigInteger last = first.add(BigInteger.valueOf(bytes));
        boolean inside = first.compareTo(start) >= 0 && last.compareTo(end) <= 0;
        // A range of length 0 directly after the last byte is covered, also at 2^64, which is address 0.
        inside |= bytes == 0 && first.equals(end.mod(TWO_64));
        assertEquals(inside, region(base + from, length).covers(base + va, bytes));
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    @Example
    void shouldGrantByProtectionDomainRightsAndQueuePair() {
        Region region = new Region(null, 0, 0, 1, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ, 0x100, 7, 0, null, null);
        assertTrue(region.grants(7, 0x11, 0));
        assertTrue(region.grants(7, 0x11, AccessFlags.REMOTE_READ));
        assertTrue(region.grants(7, 0x11, AccessFlags.REMOTE_READ | AccessFlags.LOCAL_WRITE));
        assertFalse(region.grants(8, 0x11, AccessFlags.REMOTE_READ));
        assertFalse(region.grants(7, 0x11, AccessFlags.REMOTE_WRITE));
        assertFalse(region.grants(7, 0x11, AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE), "all requested rights must be granted");
        Region window = region.window(0, 1, AccessFlags.REMOTE_READ, 0x200, 0x11);
        assertTrue(window.grants(7, 0x11, AccessFlags.REMOTE_READ));
        assertFalse(window.grants(7, 0x12, AccessFlags.REMOTE_READ));
        assertFalse(window.grants(7, 0x11, AccessFlags.LOCAL_WRITE), "a window has its own rights");
    }
}
