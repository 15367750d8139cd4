// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.agent.Deadline;

class ClosingTest {
    private static final long PATIENCE_NS = 15_000_000_000L;

    private final Closing closing = new Closing();

    /** {@code System.nanoTime} has no fixed origin, and overflows. */
    @ParameterizedTest
    @ValueSource(longs = {1, -PATIENCE_NS / 2, Long.MAX_VALUE - 5})
    void shouldBeStuckAfterAPatienceWithoutProgress(long beginNs) {
        closing.begin(beginNs);
        assertEquals(beginNs + PATIENCE_NS, closing.deadlineNs());
        assertFalse(closing.isStuck(beginNs));
        assertFalse(closing.isStuck(beginNs + PATIENCE_NS - 1));
        assertTrue(closing.isStuck(beginNs + PATIENCE_NS));
    }

    @Test
    void shouldWaitAsLongAsThereIsProgressInEachPatience() {
        closing.begin(1);
        long nowNs = 1;
        for (int i = 0; i < 3; i++) {
            closing.onProgress();
            nowNs += PATIENCE_NS;
            assertFalse(closing.isStuck(nowNs));
            assertEquals(nowNs + PATIENCE_NS, closing.deadlineNs());
        }
        assertTrue(closing.isStuck(nowNs + PATIENCE_NS));
    }

    @Test
    void shouldNotCountProgressOfBefore() {
        closing.onProgress();
        closing.begin(1);
        assertTrue(closing.isStuck(1 + PATIENCE_NS));
    }

    @Test
    void shouldHaveNoTimeLimitOutsideOfADisconnect() {
        assertFalse(closing.isStuck(Long.MAX_VALUE));
        closing.begin(1);
        closing.end();
        assertEquals(Deadline.NEVER, closing.deadlineNs());
        assertFalse(closing.isStuck(1 + PATIENCE_NS));
    }
}
