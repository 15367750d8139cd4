// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OutstandingRequestsTest {
    private static final long NONE = OutstandingRequests.NO_WORK_REQUEST;

    private final OutstandingRequests outstanding = new OutstandingRequests(3);

    @Test
    void shouldHoldAsManyAsTheLimitSays() {
        assertTrue(outstanding.isEmpty());
        for (int i = 0; i < 3; i++) {
            assertFalse(outstanding.isFull());
            outstanding.addAtomic(i, i);
        }
        assertTrue(outstanding.isFull());
        outstanding.removeOldest();
        assertFalse(outstanding.isFull());
        assertTrue(new OutstandingRequests(0).isFull());
    }

    @Test
    void shouldFindReadsByAllOfTheirSink() {
        outstanding.addRead(10, 1, 0xA, 0x1000, 64);
        outstanding.addAtomic(11, 2);
        outstanding.addRead(12, 3, 0xB, 0x2000, 128);
        assertEquals(10, outstanding.findRead(0xA, 0x1000, 64));
        assertEquals(12, outstanding.findRead(0xB, 0x2000, 128));
        assertEquals(NONE, outstanding.findRead(0xC, 0x1000, 64));
        assertEquals(NONE, outstanding.findRead(0xA, 0x1001, 64));
        assertEquals(NONE, outstanding.findRead(0xA, 0x1000, 65));
        outstanding.removeOldest();
        assertEquals(NONE, outstanding.findRead(0xA, 0x1000, 64));
        assertEquals(12, outstanding.findRead(0xB, 0x2000, 128));
    }

    @Test
    void shouldFindAtomicsByTheirIdentifier() {
        outstanding.addRead(10, 1, 0xA, 0x1000, 64);
        outstanding.addAtomic(11, 2);
        outstanding.addAtomic(12, 3);
        assertEquals(11, outstanding.findAtomic(2));
        assertEquals(12, outstanding.findAtomic(3));
        assertEquals(NONE, outstanding.findAtomic(1), "a READ");
        assertEquals(NONE, outstanding.findAtomic(4));
        outstanding.removeOldest();
        outstanding.removeOldest();
        assertEquals(NONE, outstanding.findAtomic(2));
        assertEquals(12, outstanding.findAtomic(3));
    }

    /** Slots are used again: what an atomic was must not be found in the READ that follows in its slot, and vice versa. */
    @Test
    void shouldNotFindEarlierRequestsOfASlot() {
        outstanding.addRead(10, 1, 0xA, 0x1000, 64);
        outstanding.removeOldest();
        outstanding.addAtomic(11, 2);
        assertEquals(NONE, outstanding.findRead(0xA, 0x1000, 64));
        assertTrue(outstanding.isOldestAtomic());
        outstanding.removeOldest();
        outstanding.addRead(12, 3, 0xB, 0x2000, 128);
        assertEquals(NONE, outstanding.findAtomic(2));
        assertFalse(outstanding.isOldestAtomic());
    }

    @Test
    void shouldFollowTheResponseOfTheOldestRead() {
        outstanding.addRead(10, 1, 0xA, 0x1000, 100);
        outstanding.addRead(11, 2, 0xB, 0x2000, 50);
        outstanding.onReceived(60);
        assertEquals(0xA, outstanding.sinkStag());
        assertEquals(0x1000 + 60, outstanding.nextTo());
        assertEquals(60, outstanding.received());
        assertEquals(40, outstanding.missing());
        outstanding.onReceived(40);
        assertEquals(0, outstanding.missing());
        outstanding.removeOldest();
        assertEquals(0xB, outstanding.sinkStag());
        assertEquals(0x2000, outstanding.nextTo());
        assertEquals(50, outstanding.missing());
        assertEquals(2, outstanding.oldestId());
    }

    @Test
    void shouldPassOverTheReadThatWasNotPosted() {
        assertEquals(Long.MAX_VALUE, outstanding.oldestPosted());
        outstanding.addRead(NONE, 1, 0, 0, 0);
        assertEquals(Long.MAX_VALUE, outstanding.oldestPosted());
        outstanding.addRead(10, 2, 0xA, 0x1000, 64);
        assertEquals(NONE, outstanding.oldestWqe());
        assertEquals(10, outstanding.oldestPosted());
        outstanding.removeOldest();
        outstanding.addAtomic(11, 3);
        assertEquals(10, outstanding.oldestPosted());
    }
}
