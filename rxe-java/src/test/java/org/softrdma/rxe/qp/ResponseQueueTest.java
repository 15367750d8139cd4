// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Order, merging, and the bound of the responses that wait to be sent. PSNs wrap in most tests. */
class ResponseQueueTest {
    private static final int FIRST = 0xfffffe;
    private static final int MTU = 1024;
    private static final int NAK_INVALID = 0x61;
    private static final int NAK_ACCESS = 0x62;

    private ResponseQueue queue = new ResponseQueue(2);

    private static int psn(int at) {
        return FIRST + at & 0xffffff;
    }

    private boolean read(int at, long bytes, boolean replay) {
        return queue.read(psn(at), at, 5, 6, 0x1000, bytes, replay);
    }

    /** Takes everything out: kind, place of the PSN, MSN. */
    private List<String> drained() {
        List<String> all = new ArrayList<>();
        while (!queue.isEmpty()) {
            ResponseQueue.Response oldest = queue.oldest();
            String what = switch (oldest.kind()) {
                case READ -> "READ";
                case ATOMIC -> "atomic " + oldest.original();
                case ACK -> Integer.toHexString(oldest.syndrome());
            };
            all.add(what + " " + (oldest.psn() - FIRST << 8 >> 8) + " " + oldest.msn());
            queue.removeOldest();
        }
        return all;
    }

    @Test
    void shouldMergeAcknowledgementsIntoTheNewest() {
        assertTrue(queue.acknowledge(psn(0), 1));
        assertTrue(queue.isLoneAcknowledge());
        assertTrue(queue.acknowledge(psn(1), 2));
        assertTrue(queue.acknowledge(psn(3), 3));
        assertTrue(queue.acknowledge(psn(2), 9), "an older one adds nothing");
        assertTrue(queue.acknowledge(psn(3), 9), "nor does the same");
        assertEquals(List.of("1f 3 3"), drained());
        assertFalse(queue.isLoneAcknowledge());
    }

    @Test
    void shouldNotMergeIntoNaksOrAnswers() {
        queue.acknowledge(psn(0), 1);
        queue.atomic(psn(1), 2, 77, false);
        queue.acknowledge(psn(2), 3);
        queue.refuse(psn(3), 3, NAK_INVALID);
        queue.acknowledge(psn(4), 4);
        assertEquals(List.of("1f 0 1", "atomic 77 1 2", "1f 2 3", "61 3 3", "1f 4 4"), drained());
    }

    @Test
    void shouldNotAcknowledgeBehindAnAnswerThatDoesAsMuch() {
        queue.atomic(psn(2), 3, 77, false);
        assertTrue(queue.acknowledge(psn(1), 9));
        assertTrue(queue.acknowledge(psn(2), 9));
        assertFalse(queue.isLoneAcknowledge());
        assertEquals(List.of("atomic 77 2 3"), drained());
    }

    /** The responder relies on this: before each answer an acknowledgement, one behind the last, and the NAK that ends it all. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void shouldHaveRoomForEveryAnswerWithAnAcknowledgementBeforeIt(int answers) {
        queue = new ResponseQueue(answers);
        // From each slot on, so that every one is used in each role. A NAK stays before all: an empty queue begins in the first slot again.
        for (int begin = 0; begin < 2 * answers + 4; begin++) {
            queue.clear();
            queue.refuse(psn(-1), 0, NAK_ACCESS);
            for (int i = 0; i < begin; i++) {
                queue.refuse(psn(-1), 0, NAK_ACCESS);
                queue.removeOldest();
            }
            int at = 0;
            for (int i = 0; i < answers; i++) {
                assertTrue(queue.acknowledge(psn(at), at++));
                assertTrue(i % 2 == 0 ? read(at++, 10, false) : queue.atomic(psn(at), at++, 7, false));
            }
            assertTrue(queue.acknowledge(psn(at), at++));
            assertEquals(answers, queue.answers());
            assertTrue(queue.refuse(psn(at), at, NAK_INVALID));
            List<String> all = drained();
            assertEquals(2 * answers + 3, all.size());
            assertEquals("61 " + at + " " + at, all.getLast());
            assertEquals(0, queue.answers());
        }
    }

    @Test
    void shouldBeBounded() {
        int taken = 0;
        while (taken < 100 && read(taken, 10, true)) {
            taken++;
        }
        assertEquals(2 * 2 + 4, taken);
        assertEquals(taken, queue.answers());
        assertFalse(queue.acknowledge(psn(100), 1));
        assertFalse(queue.refuse(psn(100), 1, NAK_INVALID));
        assertFalse(queue.atomic(psn(100), 1, 1, true));
        assertFalse(queue.confirm(psn(100), 1, true));
        assertEquals(taken, queue.answers(), "what found no room changes nothing");
        queue.removeOldest();
        assertTrue(queue.acknowledge(psn(100), 1));
        assertFalse(queue.refuse(psn(101), 1, NAK_INVALID));
        assertEquals(taken - 1, queue.answers());
        assertEquals(taken, drained().size());
    }

    /** PSNs of a READ of some bytes: 0 and 1 to 1024 take one, 1025 to 2048 two. */
    @ParameterizedTest
    @CsvSource({"0,1,true", "0,0,false", "1,1,true", "1024,1,true", "1024,0,false", "1025,1,false", "1025,2,true", "2048,1,false",
        "2048,2,true", "2049,2,false"})
    void shouldDropAReadOnlyIfItReachesThePlaceGoneBackTo(long bytes, int from, boolean kept) {
        read(0, bytes, false);
        queue.dropFrom(psn(from), MTU);
        assertEquals(kept ? 1 : 0, queue.answers());
        assertEquals(!kept, queue.isEmpty());
    }

    @Test
    void shouldDropEverythingFromThePlaceGoneBackTo() {
        queue.acknowledge(psn(0), 1);
        queue.atomic(psn(1), 2, 7, false);
        queue.acknowledge(psn(2), 3);
        read(3, 10, false);
        queue.dropFrom(psn(2), MTU);
        assertEquals(1, queue.answers());
        assertEquals(List.of("1f 0 1", "atomic 7 1 2"), drained());
    }

    @Test
    void shouldDropTheOldestAnswerIfItIsARepetition() {
        queue.acknowledge(psn(0), 1);
        read(1, 10, true);
        read(2, 10, true);
        assertTrue(queue.dropOldestReplay());
        assertEquals(1, queue.answers());
        assertEquals(List.of("READ 2 2"), drained());
        assertFalse(queue.dropOldestReplay(), "there is none");
    }

    @Test
    void shouldNotDropAFirstAnswer() {
        read(0, 10, false);
        read(1, 10, true);
        assertFalse(queue.dropOldestReplay());
        queue.clear();
        queue.acknowledge(psn(0), 1);
        assertFalse(queue.dropOldestReplay());
        assertEquals(List.of("1f 0 1"), drained());
    }

    @Test
    void shouldRememberHowMuchOfAReadWasSent() {
        read(0, 2000, false);
        assertFalse(queue.oldest().isBegun());
        assertFalse(queue.oldest().isReplay());
        queue.oldest().advance(psn(1), MTU);
        assertTrue(queue.oldest().isBegun());
        assertEquals(List.of(0x1000L + MTU, 976L), List.of(queue.oldest().va(), queue.oldest().left()));
        assertEquals(List.of(psn(1), 5, 6), List.of(queue.oldest().psn(), queue.oldest().pd(), queue.oldest().rkey()));
        queue.removeOldest();
        read(1, 8, true);
        assertFalse(queue.oldest().isBegun());
        assertTrue(queue.oldest().isReplay());
    }

    @Test
    void shouldTurnAReadIntoANak() {
        read(0, 10, true);
        read(1, 10, true);
        queue.refuseOldest(NAK_ACCESS);
        assertEquals(1, queue.answers());
        assertEquals(List.of("62 0 0", "READ 1 1"), drained());
        assertEquals(0, queue.answers());
    }

    @Test
    void shouldAnswerNothingAfterItWasCleared() {
        read(0, 10, false);
        queue.acknowledge(psn(1), 1);
        queue.clear();
        assertTrue(queue.isEmpty());
        assertEquals(0, queue.answers());
    }
}
