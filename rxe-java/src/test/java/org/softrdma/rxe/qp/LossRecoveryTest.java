// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Loss recovery alone, on virtual time. Timer values: IBA vol 1 §9.9.2.3 and table 45. */
class LossRecoveryTest {
    private static final long MS = 1_000_000;
    /** 4.096 µs · 2^14, and 1 ms. */
    private static final long TIMEOUT_NS = 68_108_864;
    /** RNR timer code 14: 1.28 ms. */
    private static final int RNR_CODE = 14;
    private static final long RNR_NS = 1_280_000;
    private static final int PEER_QPN = 0x22;

    private final SendQueueFixture queue = new SendQueueFixture();
    private final SendState state = queue.state;
    private final SendWindow window = new SendWindow(state, new FlightBudget());
    private final QpAttributes attributes = new QpAttributes().destQpn(PEER_QPN).timeout(14).retryCount(3).rnrRetry(2);
    private final Counters<RxeCounter> counters = new Counters<>(RxeCounter.class);
    private final LossRecovery recovery = new LossRecovery(state, window, attributes, counters, () -> QueuePairObserver.NONE);

    private void start() {
        window.reset();
        recovery.reset();
    }

    private void transmit(long nowNs, int packets) {
        queue.transmitSend(packets);
        recovery.onTransmit(nowNs);
        recovery.onHandedOver(nowNs);
    }

    /** Sends everything once more, as the requester does after going back. */
    private void transmitAgain(long nowNs) {
        state.cursor = state.started;
        state.cursorPacket = 0;
        recovery.onTransmit(nowNs);
        recovery.onHandedOver(nowNs);
    }

    private void acknowledge(long nowNs, int packets) {
        queue.acknowledge(packets);
        recovery.onProgress(nowNs, packets);
    }

    /** Lets one packet be answered after a round trip of 10 ms: a peer is silent after 2 x 10 + 4 x 5 = 40 ms. */
    private void measureRoundTrip() {
        recovery.probe(true);
        start();
        transmit(0, 1);
        recovery.onAckRequested(SendQueueFixture.psn(0), 0);
        acknowledge(10 * MS, 1);
        assertEquals(Deadline.NEVER, recovery.deadlineNs(), "nothing is outstanding");
    }

    @ParameterizedTest
    @CsvSource({"1,4000000", "8,4000000", "9,4000000", "10,5194304", "14,68108864", "19,2148483648", "31,8796094022208"})
    void shouldTakeTheCodesTimeAndAMillisecondButNoLessThanFour(int code, long expectedNs) {
        assertEquals(expectedNs, LossRecovery.timeoutNs(code));
    }

    @Test
    void shouldRunTheAckTimerFromTheFirstPacketUntilNothingIsOutstanding() {
        start();
        assertEquals(Deadline.NEVER, recovery.deadlineNs());
        transmit(5, 2);
        assertEquals(5 + TIMEOUT_NS, recovery.deadlineNs());
        transmit(100, 1);
        assertEquals(5 + TIMEOUT_NS, recovery.deadlineNs(), "running already");
        acknowledge(200, 1);
        assertEquals(200 + TIMEOUT_NS, recovery.deadlineNs(), "restarted by progress");
        acknowledge(300, 2);
        assertEquals(Deadline.NEVER, recovery.deadlineNs());
    }

    @Test
    void shouldNotRunATimerWithTimeoutZero() {
        attributes.timeout(0);
        start();
        transmit(5, 1);
        assertEquals(Deadline.NEVER, recovery.deadlineNs());
    }

    @Test
    void shouldGoBackOnTimeoutAndGiveUpAfterTheLastRetry() {
        start();
        transmit(0, 4);
        acknowledge(0, 1);
        long nowNs = 0;
        for (int retry = 1; retry <= 3; retry++) {
            nowNs += TIMEOUT_NS;
            assertNull(recovery.onTimer(nowNs));
            assertEquals(SendQueueFixture.psn(1), state.cursorPsn());
            assertEquals(retry, counters.get(RxeCounter.COMPLETER_RETRY_ERR));
            assertEquals(nowNs + TIMEOUT_NS, recovery.deadlineNs());
        }
        assertEquals(16, window.packets(), "closed by half three times");
        assertEquals(Failure.of(Reason.NO_ANSWER, PEER_QPN, 4, TIMEOUT_NS), recovery.onTimer(nowNs + TIMEOUT_NS));
        assertEquals(1, counters.get(RxeCounter.RETRY_EXCEEDED_ERR));
    }

    @Test
    void shouldDoNothingBeforeADeadlineExpires() {
        start();
        transmit(0, 1);
        assertNull(recovery.onTimer(TIMEOUT_NS - 1));
        assertEquals(SendQueueFixture.psn(1), state.cursorPsn());
        assertEquals(TIMEOUT_NS, recovery.deadlineNs());
    }

    @Test
    void shouldMeasureFromTheHandOverToTheLink() {
        start();
        queue.transmitSend(1);
        recovery.onTransmit(0);
        assertTrue(recovery.awaitsHandOver());
        assertNull(recovery.onTimer(TIMEOUT_NS));
        assertEquals(SendQueueFixture.psn(1), state.cursorPsn(), "the packet has not even been sent");
        assertEquals(2 * TIMEOUT_NS, recovery.deadlineNs());
        recovery.onHandedOver(TIMEOUT_NS + 5);
        assertFalse(recovery.awaitsHandOver());
        assertEquals(2 * TIMEOUT_NS + 5, recovery.deadlineNs());
        recovery.onHandedOver(TIMEOUT_NS + 10);
        assertEquals(2 * TIMEOUT_NS + 5, recovery.deadlineNs(), "only the packet that started the timer counts");
    }

    @Test
    void shouldMeasureARepeatFromItsHandOver() {
        start();
        transmit(0, 1);
        recovery.onTimer(TIMEOUT_NS);
        assertEquals(2 * TIMEOUT_NS, recovery.deadlineNs());
        transmitAgain(TIMEOUT_NS + 7);
        assertEquals(2 * TIMEOUT_NS + 7, recovery.deadlineNs());
    }

    @Test
    void shouldStopWaitingForTheHandOverWhenFlushed() {
        start();
        queue.transmitSend(1);
        recovery.onTransmit(0);
        recovery.stop();
        assertFalse(recovery.awaitsHandOver());
        recovery.onHandedOver(1);
        assertEquals(Deadline.NEVER, recovery.deadlineNs());
    }

    @Test
    void shouldNotProbeUnlessToldTo() {
        measureRoundTrip();
        recovery.probe(false);
        transmit(100 * MS, 1);
        assertEquals(100 * MS + TIMEOUT_NS, recovery.deadlineNs());
        recovery.onTimer(140 * MS);
        assertFalse(recovery.isProbing());
        assertEquals(0, counters.get(RxeCounter.SILENCE_PROBES));
    }

    @Test
    void shouldHaveAllRetriesAgainAfterProgress() {
        attributes.retryCount(1);
        start();
        transmit(0, 2);
        assertNull(recovery.onTimer(TIMEOUT_NS));
        acknowledge(TIMEOUT_NS, 1);
        assertNull(recovery.onTimer(2 * TIMEOUT_NS));
        assertEquals(Failure.of(Reason.NO_ANSWER, PEER_QPN, 2, TIMEOUT_NS), recovery.onTimer(3 * TIMEOUT_NS));
    }

    @Test
    void shouldGoBackOnceForAGapUntilThereIsProgress() {
        start();
        transmit(0, 4);
        assertNull(recovery.onGap(1, Reason.SEQUENCE_NAK, 0));
        assertEquals(SendQueueFixture.psn(0), state.cursorPsn());
        assertEquals(96, window.packets());
        assertNull(recovery.onGap(2, Reason.SEQUENCE_NAK, 0));
        assertEquals(1, counters.get(RxeCounter.COMPLETER_RETRY_ERR));
        assertEquals(1, counters.get(RxeCounter.DROP_UNEXPECTED_RESPONSE));
        acknowledge(3, 1);
        assertNull(recovery.onGap(4, Reason.SEQUENCE_NAK, 0));
        assertEquals(2, counters.get(RxeCounter.COMPLETER_RETRY_ERR));
    }

    @Test
    void shouldGiveUpOnAGapWithoutRetries() {
        attributes.retryCount(0);
        start();
        transmit(0, 1);
        assertEquals(Failure.of(Reason.LOST_TOO_OFTEN, 1), recovery.onGap(1, Reason.SEQUENCE_NAK, 0));
    }

    @Test
    void shouldWaitForTheReceiverAndThenGoBack() {
        start();
        transmit(0, 2);
        assertNull(recovery.onReceiverNotReady(100, RNR_CODE));
        assertTrue(recovery.waitsForReceiver());
        assertEquals(100 + RNR_NS, recovery.deadlineNs(), "the ACK timer stands still");
        assertNull(recovery.onGap(200, Reason.SEQUENCE_NAK, 0), "kernel rxe's NAK behind its RNR NAK");
        assertEquals(1, counters.get(RxeCounter.DROP_UNEXPECTED_RESPONSE));
        assertNull(recovery.onTimer(100 + RNR_NS));
        assertFalse(recovery.waitsForReceiver());
        assertEquals(SendQueueFixture.psn(0), state.cursorPsn());
        assertEquals(100 + RNR_NS + TIMEOUT_NS, recovery.deadlineNs());
    }

    @Test
    void shouldGiveUpAfterTheLastRnrRetry() {
        start();
        transmit(0, 1);
        for (int i = 0; i < 2; i++) {
            assertNull(recovery.onReceiverNotReady(0, RNR_CODE));
            recovery.onTimer(RNR_NS);
        }
        assertEquals(Failure.of(Reason.RECEIVER_NOT_READY, PEER_QPN, 3), recovery.onReceiverNotReady(0, RNR_CODE));
        assertEquals(1, counters.get(RxeCounter.RETRY_RNR_EXCEEDED_ERR));
    }

    @Test
    void shouldWaitForTheReceiverForEverWithRnrRetrySeven() {
        attributes.rnrRetry(7);
        start();
        transmit(0, 1);
        for (int i = 0; i < 100; i++) {
            assertNull(recovery.onReceiverNotReady(0, RNR_CODE));
            recovery.onTimer(RNR_NS);
        }
        assertEquals(0, counters.get(RxeCounter.RETRY_RNR_EXCEEDED_ERR));
    }

    @Test
    void shouldEndTheWaitForTheReceiverOnProgress() {
        start();
        transmit(0, 2);
        recovery.onReceiverNotReady(0, RNR_CODE);
        acknowledge(10, 1);
        assertFalse(recovery.waitsForReceiver());
        assertEquals(SendQueueFixture.psn(1), state.cursorPsn(), "what was not executed is sent again at once");
    }

    @Test
    void shouldProbeASilentPeerThreeTimesWithDoublingIntervals() {
        attributes.timeout(20);
        measureRoundTrip();
        transmit(100 * MS, 1);
        long[] atMs = {140, 220, 380};
        for (long ms : atMs) {
            assertEquals(ms * MS, recovery.deadlineNs());
            assertNull(recovery.onTimer(ms * MS));
            assertTrue(recovery.isProbing());
            recovery.onProbed(false);
            assertFalse(recovery.isProbing());
        }
        assertEquals(3, counters.get(RxeCounter.SILENCE_PROBES));
        assertEquals(100 * MS + LossRecovery.timeoutNs(20), recovery.deadlineNs(), "then the ACK timer, which was never restarted");
        assertEquals(0, counters.get(RxeCounter.COMPLETER_RETRY_ERR));
    }

    /** Until the link has the packet its peer cannot answer: the silence is measured anew. */
    @Test
    void shouldNotProbeBeforeTheHandOverToTheLink() {
        measureRoundTrip();
        queue.transmitSend(1);
        recovery.onTransmit(100 * MS);
        assertNull(recovery.onTimer(140 * MS));
        assertFalse(recovery.isProbing());
        assertEquals(0, counters.get(RxeCounter.SILENCE_PROBES));
        assertEquals(180 * MS, recovery.deadlineNs());
    }

    /** Going back had to wait, and the peer was probed meanwhile: the interval stays doubled, and the number of probes is bounded. */
    @ParameterizedTest
    @CsvSource({"1, 80", "2, 160", "3, 1074"})
    void shouldCountProbesWhileItWaitsToSendAgain(int probes, int silenceMs) {
        attributes.timeout(18);
        measureRoundTrip();
        transmit(100 * MS, 2);
        assertNull(recovery.onGap(100 * MS, Reason.SEQUENCE_NAK, 0));
        for (int i = 0; i < probes; i++) {
            recovery.onTimer(recovery.deadlineNs());
        }
        assertEquals(probes, counters.get(RxeCounter.SILENCE_PROBES));
        transmitAgain(500 * MS);
        assertEquals(500 + silenceMs, recovery.deadlineNs() / MS);
    }

    @Test
    void shouldKnowTheAnswerToItsProbe() {
        measureRoundTrip();
        transmit(100 * MS, 3);
        assertFalse(recovery.isProbed(SendQueueFixture.psn(1)));
        recovery.onTimer(140 * MS);
        recovery.onProbed(false);
        assertTrue(recovery.isProbed(SendQueueFixture.psn(1)));
        assertFalse(recovery.isProbed(SendQueueFixture.psn(2)));
        acknowledge(141 * MS, 1);
        recovery.onProbeAcknowledged(141 * MS);
        assertEquals(SendQueueFixture.psn(2), state.cursorPsn());
        assertEquals(96, window.packets());
    }

    @Test
    void shouldConcludeNothingFromAProbeThatWasNextAnyway() {
        measureRoundTrip();
        transmit(100 * MS, 1);
        recovery.onTimer(140 * MS);
        recovery.onProbed(true);
        assertFalse(recovery.isProbed(SendQueueFixture.psn(1)));
    }

    @Test
    void shouldGoBackInsteadOfProbingWhenTheOldestRequestIsARead() {
        measureRoundTrip();
        queue.transmit(new SendRequest().read(0, 0), 2);
        recovery.onTransmit(100 * MS);
        recovery.onHandedOver(100 * MS);
        recovery.onTimer(140 * MS);
        assertFalse(recovery.isProbing());
        assertEquals(SendQueueFixture.psn(1), state.cursorPsn());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldStopAllTimersWhenTheQueueIsFlushed(boolean receiverNotReady) {
        measureRoundTrip();
        transmit(100 * MS, 1);
        if (receiverNotReady) {
            recovery.onReceiverNotReady(100 * MS, RNR_CODE);
        }
        recovery.stop();
        assertEquals(Deadline.NEVER, recovery.deadlineNs());
        assertFalse(recovery.waitsForReceiver());
    }

    @Test
    void shouldForgetTheRoundTripOnReset() {
        measureRoundTrip();
        state.reset(SendQueueFixture.FIRST_PSN);
        start();
        transmit(0, 1);
        assertEquals(TIMEOUT_NS, recovery.deadlineNs(), "no probe without a measured round trip");
    }
}
