// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Expected values are RFC 6298's formulas, worked out by hand: SRTT + RTTVAR with 1/8 and 1/4, and here 2 SRTT + 4 RTTVAR. */
class RoundTripTest {
    private static final long MS = 1_000_000;
    private final RoundTrip roundTrip = new RoundTrip();

    private void sample(int psn, long startNs, long durationNs) {
        roundTrip.onAckRequested(psn, startNs);
        roundTrip.onAcknowledged(psn + 1 & 0xffffff, startNs + durationNs);
    }

    @Test
    void shouldSmoothWhatItMeasures() {
        assertFalse(roundTrip.isKnown());
        sample(0xffffff, -100 * MS, 10 * MS);
        assertTrue(roundTrip.isKnown());
        assertEquals(40 * MS, roundTrip.silenceNs(), "2 x 10 + 4 x 5");
        sample(0, 0, 10 * MS);
        assertEquals(35 * MS, roundTrip.silenceNs(), "2 x 10 + 4 x 3.75");
        sample(1, 0, 18 * MS);
        assertEquals(2 * 11 * MS + 19_250_000, roundTrip.silenceNs(), "SRTT 10 + 8/8, RTTVAR 3.75 + (8 - 3.75)/4");
    }

    @Test
    void shouldNotCallShortPausesSilence() {
        sample(5, 0, 2_000);
        assertEquals(4 * MS, roundTrip.silenceNs());
    }

    @Test
    void shouldTimeOnePacketAtATime() {
        roundTrip.onAckRequested(10, 0);
        roundTrip.onAckRequested(20, 5 * MS);
        roundTrip.onAcknowledged(10, 7 * MS);
        assertFalse(roundTrip.isKnown(), "packet 10 itself is not answered yet");
        roundTrip.onAcknowledged(21, 10 * MS);
        assertEquals(40 * MS, roundTrip.silenceNs());
    }

    @Test
    void shouldNotTimeWhatWasSentAgain() {
        sample(5, 0, 10 * MS);
        roundTrip.onAckRequested(10, 20 * MS);
        roundTrip.onSentAgain();
        roundTrip.onAcknowledged(11, 2_000 * MS);
        assertEquals(40 * MS, roundTrip.silenceNs());
        sample(12, 3_000 * MS, 10 * MS);
        assertEquals(35 * MS, roundTrip.silenceNs());
    }

    @Test
    void shouldTakeATimeThatIsTooLongForNone() {
        roundTrip.onAckRequested(10, 0);
        roundTrip.onSentAgain();
        roundTrip.onAcknowledged(11, 10 * MS);
        assertEquals(40 * MS, roundTrip.silenceNs());
        roundTrip.reset();
        assertFalse(roundTrip.isKnown());
    }
}
