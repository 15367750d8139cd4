// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.rxe.qp.FlightBudget;
import org.softrdma.verbs.QpState;

/** The device as requester: when it sends again after RNR NAKs, timeouts and silence, and when it gives up. */
class RequesterRecoveryTest extends RequesterScript {

    /** Delays of the RNR timer codes: IBA vol 1 §9.7.5.2.8, table 46. */
    @ParameterizedTest
    @CsvSource({"1,10000", "12,640000", "14,1280000", "20,10240000", "28,163840000", "31,491520000", "0,655360000"})
    void shouldWaitAsLongAsTheReceiverAsks(int code, long waitNs) {
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20 | code));
        long askedNs = peer.fabric.nowNs();
        RawPacket again = peer.expectByTimer(RawPacket.SEND_ONLY, THEIR_PSN);
        assertEquals(waitNs + ROUND_TRIP_NS, again.atNs - askedNs);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 6})
    void shouldTransmitOnceMoreThanRnrRetryAndThenFail(int rnrRetry) {
        setup.rnrRetry = rnrRetry;
        connect();
        postSends(2);
        expectSends(0, 2);
        for (int i = 0; i < rnrRetry; i++) {
            peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 1));
            expectSendsByTimer(0, 2);
            assertEquals(List.of(), completions());
        }
        peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 1));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 RNR_RETRY_EXC_ERR", "1 WR_FLUSH_ERR"), completions());
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    @Test
    void shouldComeBackForEverWithRnrRetrySeven() {
        setup.rnrRetry = 7;
        connect();
        postSends(1);
        expectSends(0, 1);
        for (int i = 0; i < 100; i++) {
            peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 1));
            expectSendsByTimer(0, 1);
        }
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    /**
     * Kernel rxe sends RNR NAK and then, for the next packet, NAK 0x60 with the same PSN. Together with rdma_cm's RNR
     * timer of 655 ms and a short ACK timeout this used to end in RETRY_EXC_ERR, by timeouts that ran during the wait.
     */
    @Test
    void shouldIgnoreSequenceNakWhileWaitingForTheReceiver() {
        setup.timeout = 8;
        connect();
        postSends(2);
        expectSends(0, 2);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20), RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        peer.expectNothingFor(655 * MS);
        assertEquals(List.of(), completions());
        expectSendsByTimer(0, 2);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    @Test
    void shouldEndTheWaitForTheReceiverWhenAnAckComes() {
        connect();
        postSends(2);
        expectSends(0, 2);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20));
        peer.runFor(MS);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(2000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    /** Losses during a long receiver-not-ready period used to add up to RETRY_EXC_ERR although the peer answered in between. */
    @Test
    void shouldNotAddUpTimeoutsBetweenRnrNaks() {
        setup.retryCount = 1;
        connect();
        postSends(1);
        expectSends(0, 1);
        for (int i = 0; i < 10; i++) {
            // Lost; the repetition finds the receiver not ready.
            expectSendsByTimer(0, 1);
            peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 12));
            expectSendsByTimer(0, 1);
        }
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @Test
    void shouldCompleteEarlierRequestsOnRnrNak() {
        connect();
        postSends(3);
        expectSends(0, 3);
        peer.send(RawPacket.nak(THEIR_PSN + 2, 0x20 | 12));
        expectSendsByTimer(2, 1);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    // ---- silence ----

    /** IBA: retry_cnt n gives n+1 transmissions, seven included; the wait is one to four times the timeout. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void shouldTransmitOnceMoreThanRetryCountAndThenFail(int retryCount) {
        setup.retryCount = retryCount;
        connect();
        postSends(2);
        long lastNs = -1;
        for (int i = 0; i <= retryCount; i++) {
            RawPacket packet = i == 0 ? peer.expect(RawPacket.SEND_ONLY, THEIR_PSN)
                : peer.expectByTimer(RawPacket.SEND_ONLY, THEIR_PSN);
            peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 1);
            if (i > 0) {
                long waitedNs = packet.atNs - lastNs;
                assertTrue(waitedNs >= TIMEOUT_NS && waitedNs <= 4 * TIMEOUT_NS, waitedNs + " ns");
            }
            lastNs = packet.atNs;
        }
        peer.expectNothingFor(TIMEOUT_NS - 10 * US);
        assertEquals(List.of(), completions());
        peer.expectNothingFor(3 * TIMEOUT_NS);
        assertEquals(List.of("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR"), completions());
    }

    @Test
    void shouldWaitForEverWithTimeoutZero() {
        setup.timeout = 0;
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.expectNothingFor(1_000_000 * MS);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @Test
    void shouldHaveAllRetriesAgainAfterProgress() {
        setup.retryCount = 1;
        connect();
        postSends(2);
        expectSends(0, 2);
        expectSendsByTimer(0, 2);
        peer.send(RawPacket.ack(THEIR_PSN));
        expectSendsByTimer(1, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    /** Exchanges one message, from which the device measures the round trip. */
    private void exchangeOne() {
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(10 * US);
        assertEquals(List.of("0 SUCCESS"), completions());
        peer.side.sends().clear();
    }

    /** Three probes, each wait twice as long, and no retry used up: there is none. */
    @Test
    void shouldSendTheOldestPacketAgainWhenTheUsualRoundTripIsLongOver() {
        setup.retryCount = 0;
        connect();
        exchangeOne();
        postSends(3);
        expectSends(1, 3);
        long silentNs = 0;
        for (int probe = 0; probe < 3; probe++) {
            long beforeNs = peer.nowNs();
            RawPacket again = peer.expectByTimer(RawPacket.SEND_ONLY, THEIR_PSN + 1);
            assertTrue(again.asksForAck());
            long waitedNs = again.atNs - beforeNs;
            assertTrue(waitedNs > 3_900 * US << probe && waitedNs < 4_100 * US << probe, waitedNs + " ns before probe " + probe);
            silentNs += waitedNs;
        }
        peer.expectNothingFor(TIMEOUT_NS - silentNs);
        assertEquals(List.of(), completions());
        peer.expectNothingFor(3 * TIMEOUT_NS);
        assertEquals(List.of("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR"), completions());
        assertEquals(3, peer.side.counter("silence_probes"));
    }

    /** A probe needs no room: otherwise a queue pair whose device has used up its budget would wait for the ACK timeout. */
    @Test
    void shouldProbeWithoutRoomInTheDevicesBudget() {
        connect();
        exchangeOne();
        postSends(1);
        expectSends(1, 1);
        peer.side.engine().flight().move(FlightBudget.MAX_PACKETS);
        expectSendsByTimer(1, 1);
        assertEquals(1, peer.side.counter("silence_probes"));
        assertEquals(0, peer.side.counter("completer_retry_err"));
    }

    /** A lost NAK, or a lost repeat: the peer was waiting for that packet only, and discarded all later ones. */
    @Test
    void shouldSendTheRestAgainWhenTheProbeWasWhatThePeerLacked() {
        setup.retryCount = 0;
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        expectSendsByTimer(1, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        expectSends(2, 3);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), completions());
    }

    /** Going back had to wait for the device's budget, so the probe was the first packet sent again, followed by the rest. */
    @Test
    void shouldSendTheRestOnceWhenTheProbeWasNextAnyway() {
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        peer.side.engine().flight().move(FlightBudget.MAX_PACKETS);
        peer.send(RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_SEQUENCE));
        expectSendsByTimer(1, 1);
        assertEquals(1, peer.side.counter("silence_probes"));
        peer.side.engine().flight().move(-FlightBudget.MAX_PACKETS);
        expectSends(2, 3);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(3 * MS);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(4, completions().size());
    }

    @Test
    void shouldSendNothingAgainWhenTheProbeFindsThatOnlyTheAnswerWasLost() {
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        expectSendsByTimer(1, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(4, completions().size());
    }

    /** The peer acknowledged two and is silent again: the tail was lost. */
    @Test
    void shouldFindALostTailByASecondProbe() {
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        expectSendsByTimer(3, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 3));
        expectSends(4, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(4, completions().size());
    }

    @Test
    void shouldAskForAReadAgainAfterSilence() {
        setup.retryCount = 0;
        connect();
        exchangeOne();
        postRead(7, 100);
        postSends(1);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        expectSends(2, 1);
        RawPacket again = peer.expectByTimer(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        assertEquals(List.of(REMOTE_VA, 100L), List.of(again.va(), again.length()));
        expectSends(2, 1);
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN + 1).aeth(0x1f, 2).payload(100), RawPacket.ack(THEIR_PSN + 2));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("7 SUCCESS", "0 SUCCESS"), completions());
    }

    @Test
    void shouldNotProbeWhileThePeersReceiverIsNotReady() {
        setup.minRnrTimer = 12;
        connect();
        exchangeOne();
        postSends(2);
        expectSends(1, 2);
        peer.send(RawPacket.nak(THEIR_PSN + 1, 0x20 | 28));
        peer.expectNothingFor(160 * MS);
        expectSendsByTimer(1, 2);
    }
}
