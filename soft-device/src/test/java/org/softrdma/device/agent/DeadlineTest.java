// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** At readings that {@link System#nanoTime} may have: around zero, and on both sides of the wrap. */
class DeadlineTest {
    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, -5_000_000_000L, Long.MIN_VALUE, Long.MIN_VALUE + 10, Long.MAX_VALUE - 10, 1L << 62})
    void shouldOrderTimesByTheirDifference(long nowNs) {
        long laterNs = nowNs + 100;
        assertTrue(Deadline.isDue(nowNs, laterNs));
        assertTrue(laterNs == Deadline.NEVER || Deadline.isDue(laterNs, laterNs));
        assertFalse(Deadline.isDue(laterNs, nowNs));
        assertTrue(Deadline.isBefore(nowNs, laterNs));
        assertFalse(Deadline.isBefore(laterNs, nowNs));
        assertEquals(nowNs, Deadline.earlier(laterNs, nowNs));
        assertEquals(nowNs, Deadline.earlier(nowNs, laterNs));
        assertEquals(100, Deadline.remainingNs(laterNs, nowNs));
        assertEquals(-100, Deadline.remainingNs(nowNs, laterNs));
        assertEquals(laterNs, Deadline.after(100, nowNs));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, Long.MIN_VALUE, Long.MIN_VALUE + 10, Long.MAX_VALUE - 10})
    void shouldNeverReachNever(long nowNs) {
        assertFalse(Deadline.isDue(Deadline.NEVER, nowNs));
        assertFalse(Deadline.isBefore(Deadline.NEVER, nowNs));
        assertTrue(Deadline.isBefore(nowNs, Deadline.NEVER));
        assertEquals(nowNs, Deadline.earlier(Deadline.NEVER, nowNs));
        assertEquals(nowNs, Deadline.earlier(nowNs, Deadline.NEVER));
        assertEquals(Long.MAX_VALUE, Deadline.remainingNs(Deadline.NEVER, nowNs));
        assertEquals(Deadline.NEVER, Deadline.after(Long.MAX_VALUE, nowNs));
    }
}
