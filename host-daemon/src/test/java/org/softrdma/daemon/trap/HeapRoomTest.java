// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A heap of 1000 bytes: objects may fill 600, and the collector runs after 50 more. */
class HeapRoomTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private long objects;
    private long garbage;
    private int collections;
    private final HeapRoom room = new HeapRoom(1000, () -> objects + garbage, () -> {
        collections++;
        garbage = 0;
    });

    @Test
    void shouldNotTakeGarbageForObjects() {
        objects = 100;
        garbage = 500;
        assertFalse(room.isScarce(0));
        assertEquals(1, collections);
        assertEquals(0, garbage);
    }

    @Test
    void shouldNotCollectBelowTheLimit() {
        objects = 599;
        assertFalse(room.isScarce(0));
        assertEquals(0, collections);
    }

    @Test
    void shouldRefuseUntilObjectsAreGone() {
        objects = 600;
        assertTrue(room.isScarce(0));
        objects = 0;
        garbage = 600;
        assertTrue(room.isScarce(SECOND_NS), "no collection for each refused call");
        assertEquals(1, collections);
        assertFalse(room.isScarce(2 * SECOND_NS));
        assertEquals(2, collections);
    }

    /** Little more than was in use after a collection needs no other one; but objects may not grow beyond that unseen. */
    @Test
    void shouldCollectAgainWhenMuchWasAllocated() {
        objects = 580;
        garbage = 100;
        assertFalse(room.isScarce(0));
        garbage = 49;
        assertFalse(room.isScarce(1));
        assertEquals(1, collections);
        objects = 631;
        garbage = 0;
        assertTrue(room.isScarce(2));
        assertEquals(2, collections);
    }
}
