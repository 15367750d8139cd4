// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.link.ForwardingLink;
import org.softrdma.link.Link;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;

/** The device as requester: when it sends again after RNR NAKs, gaps and timeouts, and when it gives up. */
class RequesterRecoveryTest extends RequesterScript {
    /** By how much the ACK timer may exceed the negotiated timeout: near 1 ×, where IBA allows 4 ×. */
    private static final long NEAR_NS = 2 * MS;

    /** A socket that accepts nothing at times. */
    private static final class StallingLink extends ForwardingLink {
        boolean stalled;

        StallingLink(Link link) {
            super(link);
        }

        @Override
        public int send(TransmitBatch batch) {
            return stalled ? 0 : super.send(batch);
        }
    }

    private static void assertBetween(long fromNs, long toNs, long ns) {
        assertTrue(ns >= fromNs && ns <= toNs, ns + " ns, not within " + fromNs + ".." + toNs);
    }

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

    /** Work requests posted during the wait are sent after it: before, the receiver would drop them. IBA vol 1 §9.7.5.2.8 */
    @Test
    void shouldSendNothingThatIsPostedDuringTheWaitForTheReceiver() {
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 28));
        peer.expectNothingFor(MS);
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 10).signaled());
        peer.expectNothingFor(160 * MS);
        expectSendsByTimer(0, 2);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
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

    /**
     * retry_cnt n gives n + 1 transmissions, seven included, and none before the timeout; IBA vol 1 §9.9.2.1.1, §9.9.2.3. Whether a round
     * trip was measured before makes no difference.
     */
    @ParameterizedTest
    @CsvSource({"0,false", "1,false", "3,false", "7,false", "0,true", "1,true", "3,true", "7,true"})
    void shouldTransmitOnceMoreThanRetryCountAndThenFail(int retryCount, boolean sampled) {
        setup.retryCount = retryCount;
        connect();
        int first = sampled ? exchangeOne() : 0;
        postSends(2);
        List<Long> atMs = new ArrayList<>();
        long lastNs = 0;
        for (int i = 0; i <= retryCount; i++) {
            RawPacket packet = i == 0 ? peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + first)
                : peer.expectByTimer(RawPacket.SEND_ONLY, THEIR_PSN + first);
            peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + first + 1);
            atMs.add(packet.atNs / MS);
            if (i > 0) {
                assertBetween(TIMEOUT_NS, TIMEOUT_NS + NEAR_NS, packet.atNs - lastNs);
            }
            lastNs = packet.atNs;
        }
        peer.expectNothingFor(TIMEOUT_NS - 10 * US);
        assertEquals(List.of(), completions());
        peer.expectNothingFor(NEAR_NS);
        assertEquals(List.of("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR"), completions());
        peer.expectNothingFor(10 * TIMEOUT_NS);
        assertEquals(retryCount * 2L, peer.side.counter("retransmitted_pkts"), "transmissions at " + atMs + " ms");
        assertEquals(retryCount, peer.side.counter("completer_retry_err"));
        assertEquals(1, peer.side.counter("retry_exceeded_err"));
        assertEquals(0, peer.side.counter("silence_probes"));
    }

    /** A NAK for a gap takes a retry as a timeout does, and with retry_cnt 0 ends the connection, as kernel rxe 6.1 does. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void shouldTakeOneRetryForEachNakOfAGap(int retryCount) {
        setup.retryCount = retryCount;
        connect();
        postSends(2);
        expectSends(0, 2);
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        for (int i = 0; i < retryCount; i++) {
            assertEquals(List.of(), completions());
            if (i == 0) {
                expectSends(0, 2);
            } else {
                expectSendsByTimer(0, 2);
            }
        }
        peer.expectNothingFor(10 * TIMEOUT_NS);
        assertEquals(List.of("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR"), completions());
        assertEquals(1, peer.side.counter("rcvd_seq_err"));
        assertEquals(retryCount, peer.side.counter("completer_retry_err"));
    }

    /** The socket takes nothing for most of a timeout: what waits for it is not on its way to anybody. */
    @Test
    void shouldMeasureTheTimeoutFromWhenTheLinkTookThePacket() {
        setup.retryCount = 1;
        AtomicReference<StallingLink> made = new AtomicReference<>();
        peer = new RawPeer(setup, below -> made.updateAndGet(none -> new StallingLink(below)));
        StallingLink link = made.get();
        memory = peer.side.memory(1 << 20, SimulatedPair.ALL_REMOTE);
        link.stalled = true;
        postSends(1);
        peer.expectNothingFor(TIMEOUT_NS - MS);
        link.stalled = false;
        RawPacket first = peer.expectWithin(100 * US, RawPacket.SEND_ONLY, THEIR_PSN);
        link.stalled = true;
        peer.expectNothingFor(4 * TIMEOUT_NS);
        assertEquals(1, peer.side.counter("retransmitted_pkts"), "it waits in the batch, and nothing is added");
        assertEquals(List.of(), completions());
        link.stalled = false;
        RawPacket second = peer.expectWithin(100 * US, RawPacket.SEND_ONLY, THEIR_PSN);
        assertTrue(second.atNs - first.atNs >= 4 * TIMEOUT_NS);
        peer.expectNothingFor(TIMEOUT_NS - 10 * US);
        assertEquals(List.of(), completions());
        peer.expectNothingFor(NEAR_NS);
        assertEquals(List.of("0 RETRY_EXC_ERR"), completions());
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

    /** A connection made anew knows nothing of a receiver that was not ready: RNR timer code 0 is 655 ms. */
    @Test
    void shouldForgetTheWaitForTheReceiverOnReset() {
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20));
        peer.expectNothingFor(MS);
        peer.side.qp.modify(new QpAttributes().state(QpState.RESET));
        SimulatedPair.connect(peer.side, peer.gid(), RawPeer.QPN, setup, setup.accessA, THEIR_PSN, RawPeer.OUR_PSN);
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @Test
    void shouldCloseTheWindowByHalfOnTimeout() {
        connect();
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 1 << 20).signaled());
        int window = peer.takeAll(MS).size();
        List<RawPacket> again = peer.takeAll(TIMEOUT_NS + NEAR_NS);
        assertEquals(window / 2, again.size());
        assertEquals(THEIR_PSN, again.getFirst().psn());
        assertEquals(window / 4, peer.takeAll(TIMEOUT_NS + MS).size());
    }

    /** The path of a new connection may be another one. */
    @Test
    void shouldOpenTheWindowAgainInReset() {
        connect();
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 1 << 20).signaled());
        int window = peer.takeAll(MS).size();
        assertEquals(window / 2, peer.takeAll(TIMEOUT_NS + NEAR_NS).size());
        peer.side.qp.modify(new QpAttributes().state(QpState.RESET));
        SimulatedPair.connect(peer.side, peer.gid(), RawPeer.QPN, setup, setup.accessA, THEIR_PSN, RawPeer.OUR_PSN);
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 1 << 20).signaled());
        assertEquals(window, peer.takeAll(MS).size());
    }

    /** Each kind of trouble has a counter with the name that adapters use, and nothing else counts. */
    @Test
    void shouldCountWhyItSendsAgain() {
        setup.rnrRetry = 1;
        connect();
        postSends(3);
        expectSends(0, 3);
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        expectSends(0, 3);
        assertCounters(1, 0, 1, 0, 3);
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        peer.expectNothingFor(MS);
        assertCounters(2, 0, 1, 0, 3);
        assertEquals(1, peer.side.counter("drop_unexpected_response"), "a gap that was repaired already");
        expectSendsByTimer(0, 3);
        assertCounters(2, 0, 2, 0, 6);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 1));
        peer.runFor(5 * US);
        assertCounters(2, 1, 2, 0, 6);
        peer.send(RawPacket.ack(THEIR_PSN), RawPacket.ack(THEIR_PSN));
        expectSends(1, 2);
        assertEquals(1, peer.side.counter("drop_duplicate_response"));
        peer.send(RawPacket.nak(THEIR_PSN + 1, 0x20 | 1));
        expectSendsByTimer(1, 2);
        peer.send(RawPacket.nak(THEIR_PSN + 1, 0x20 | 1));
        peer.expectNothingFor(MS);
        assertCounters(2, 3, 2, 1, 10);
        assertEquals(List.of("0 SUCCESS", "1 RNR_RETRY_EXC_ERR", "2 WR_FLUSH_ERR"), completions());
        assertEquals(0, peer.side.counter("retry_exceeded_err"));
    }

    private void assertCounters(int gaps, int notReady, int retries, int notReadyExceeded, int packets) {
        assertEquals(List.of((long) gaps, (long) notReady, (long) retries, (long) notReadyExceeded, (long) packets),
            Stream.of("rcvd_seq_err", "rcvd_rnr_err", "completer_retry_err", "retry_rnr_exceeded_err", "retransmitted_pkts")
                .map(peer.side::counter).toList());
    }
}
