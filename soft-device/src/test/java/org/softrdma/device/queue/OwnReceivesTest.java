// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.softrdma.verbs.ReceiveRequest;

final class OwnReceivesTest {
    private static final int SIZE = 4;

    private final ReceiveRing ring = new ReceiveRing(1, 1);
    private final OwnReceives receives = new OwnReceives(ring, null);
    private int moved;

    /** A program that posts as fast as its receives are dropped must not keep the device. */
    @Test
    void shouldForgetNoMoreThanWasPosted() {
        receives.takeFrom(new Refilled(Integer.MAX_VALUE));
        assertTrue(receives.take());
        receives.forget();
        assertEquals(1 + SIZE, moved);
        assertEquals(ring.head(), ring.tail());
        assertEquals(SIZE, receives.toFlush());
    }

    @Test
    void shouldCountTheCurrentReceiveAmongThoseToFlush() {
        receives.takeFrom(new Refilled(2));
        assertTrue(receives.take());
        assertEquals(2, receives.toFlush());
        assertEquals(1, receives.finish());
        assertEquals(1, receives.toFlush());
        assertTrue(receives.takeToFlush());
        assertEquals(2, receives.finish());
        assertEquals(0, receives.toFlush());
        assertFalse(receives.takeToFlush());
    }

    @Test
    void shouldForgetNothingBeyondItsOwnRing() {
        ring.write(new ReceiveRequest().begin(1));
        ring.publish();
        assertEquals(1, receives.toFlush());
        receives.forget();
        assertEquals(0, receives.toFlush());
        assertFalse(receives.take());
    }

    /** Receives of a program that posts a new one for each that is taken, {@code all} in total. */
    private final class Refilled implements PostedReceives {
        private final int all;

        private Refilled(int all) {
            this.all = all;
        }

        @Override
        public int size() {
            return Math.min(SIZE, all - moved);
        }

        @Override
        public boolean moveOldestTo(ReceiveRing taken) {
            if (size() == 0) {
                return false;
            }
            assertTrue(moved < 100, "this goes on for ever");
            moved++;
            taken.write(new ReceiveRequest().begin(moved));
            taken.publish();
            return true;
        }
    }
}
