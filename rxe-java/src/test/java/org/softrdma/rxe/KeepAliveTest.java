// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.WcStatus;

/** Probes of the peers of idle queue pairs: an RDMA WRITE without bytes that no work request stands for. */
class KeepAliveTest extends RequesterScript {
    private static final long IDLE_NS = 100 * MS;

    @BeforeEach
    void turnOn() {
        setup.options = RxeOptions.DEFAULT.withKeepAliveNs(IDLE_NS);
    }

    private RawPacket expectProbe(int psn) {
        RawPacket probe = peer.expectByTimer(RawPacket.WRITE_ONLY, THEIR_PSN + psn);
        assertTrue(probe.asksForAck());
        assertEquals(List.of(0L, 0, 0L, 0), List.of(probe.va(), probe.rkey(), probe.length(), probe.payload().length));
        return probe;
    }

    private void postReceive() {
        peer.side.qp.postReceive(new ReceiveRequest().begin(7).element(memory, 0, 100));
    }

    private long probes() {
        return peer.side.counter("keepalive_probes");
    }

    @Test
    void shouldProbeAnIdlePeerAgainAndAgain() {
        connect();
        postReceive();
        for (int i = 0; i < 5; i++) {
            long fromNs = peer.nowNs();
            RawPacket probe = expectProbe(i);
            long waitedNs = probe.atNs - fromNs;
            assertTrue(waitedNs >= IDLE_NS && waitedNs <= IDLE_NS + 4 * US, waitedNs + " ns");
            peer.send(RawPacket.ack(THEIR_PSN + i));
        }
        peer.runFor(MS);
        assertEquals(List.of(), completions());
        assertEquals(List.of(), peer.side.receives());
        assertEquals(List.of(), peer.side.events());
        assertEquals(List.of(5L, 0L), List.of(probes(), peer.side.counter("retransmitted_pkts")));
        assertEquals(THEIR_PSN + 5 & 0xffffff, peer.side.qp.query().sqPsn());
        postSends(1);
        expectSends(5, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 5));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @Test
    void shouldProbeNobodyUnlessAskedTo() {
        setup.options = RxeOptions.DEFAULT;
        connect();
        peer.expectNothingFor(3_600_000 * MS);
    }

    @Test
    void shouldNotProbeWhileRequestsAreSent() {
        connect();
        for (int i = 0; i < 5; i++) {
            peer.expectNothingFor(IDLE_NS - MS);
            postSends(1);
            expectSends(i, 1);
            peer.send(RawPacket.ack(THEIR_PSN + i));
        }
        long fromNs = peer.nowNs();
        assertEquals(IDLE_NS, expectProbe(5).atNs - fromNs, 4 * US);
    }

    @Test
    void shouldNotProbeWhileRequestsAreReceived() {
        connect();
        for (int i = 0; i < 5; i++) {
            peer.expectNothingFor(IDLE_NS - MS);
            peer.send(RawPacket.of(RawPacket.WRITE_ONLY, OUR_PSN + i).reth(0, 0, 0));
        }
        long fromNs = peer.nowNs();
        assertEquals(IDLE_NS, expectProbe(0).atNs - fromNs, 4 * US);
    }

    /** A work request without an answer has the ACK timer; the peer of one that waits for a receive is alive. */
    @Test
    void shouldNotProbeWhileAWorkRequestIsOutstanding() {
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20));
        peer.expectNothingFor(655 * MS);
        expectSendsByTimer(0, 1);
        assertEquals(0, probes());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void shouldLoseTheConnectionWhenThePeerIsDead(int retryCount) {
        setup.retryCount = retryCount;
        connect();
        postReceive();
        long lastNs = expectProbe(0).atNs;
        for (int i = 0; i < retryCount; i++) {
            long againNs = expectProbe(0).atNs;
            assertTrue(againNs - lastNs >= TIMEOUT_NS && againNs - lastNs <= 4 * TIMEOUT_NS, againNs - lastNs + " ns");
            lastNs = againNs;
        }
        peer.expectNothingFor(TIMEOUT_NS - 10 * US);
        assertEquals(QpState.RTS, peer.side.qp.state());
        peer.expectNothingFor(1_000 * TIMEOUT_NS);
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of(AsyncEventType.QP_FATAL), peer.side.events());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), peer.side.receiveStatuses());
        assertEquals(List.of(), completions());
        assertEquals(List.of(1L, 1L, (long) retryCount, (long) retryCount), List.of(probes(), peer.side.counter("retry_exceeded_err"),
            peer.side.counter("retransmitted_pkts"), peer.side.counter("completer_retry_err")));
        postSends(1);
        peer.runFor(MS);
        assertEquals(List.of("0 WR_FLUSH_ERR"), completions());
    }

    @Test
    void shouldProbeWithAllRetriesAgainAfterAnAnswer() {
        setup.retryCount = 1;
        connect();
        for (int i = 0; i < 3; i++) {
            expectProbe(i);
            expectProbe(i);
            peer.send(RawPacket.ack(THEIR_PSN + i));
        }
        peer.runFor(MS);
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    // ---- work requests that are posted meanwhile ----

    @Test
    void shouldSendWorkRequestsWhenTheProbeIsAcknowledged() {
        connect();
        expectProbe(0);
        postSends(2);
        peer.expectNothingFor(MS);
        peer.send(RawPacket.ack(THEIR_PSN));
        expectSends(1, 2);
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    /** The status tells it all: there is no event. */
    @Test
    void shouldFailTheOldestWorkRequestWhenThePeerIsDead() {
        setup.retryCount = 0;
        connect();
        expectProbe(0);
        postSends(2);
        peer.expectNothingFor(4 * TIMEOUT_NS);
        assertEquals(List.of("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR"), completions());
        assertEquals(List.of(), peer.side.events());
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    // ---- answers ----

    @Test
    void shouldSendTheProbeAgainAtOnceOnSequenceNak() {
        setup.retryCount = 1;
        connect();
        expectProbe(0);
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        peer.expect(RawPacket.WRITE_ONLY, THEIR_PSN);
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        peer.expectNothingFor(MS);
        assertEquals(List.of(AsyncEventType.QP_FATAL), peer.side.events());
        assertEquals(2, peer.side.counter("rcvd_seq_err"));
    }

    /** The last: a WRITE takes no receive, and is not answered by data. */
    @ParameterizedTest
    @CsvSource({"0x11,0x61,0", "0x11,0x62,0", "0x11,0x63,0", "0x11,0x2c,1", "0x10,0x1f,1", "0x12,0x1f,1"})
    void shouldLoseTheConnectionWhenTheProbeIsRefused(int opcode, int syndrome, int badResponses) {
        connect();
        postReceive();
        expectProbe(0);
        RawPacket refusal = RawPacket.of(opcode, THEIR_PSN).aeth(syndrome, 0);
        peer.send(opcode == RawPacket.ATOMIC_ACK ? refusal.atomicAck(1) : refusal);
        peer.expectNothingFor(1000 * MS);
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of(AsyncEventType.QP_FATAL), peer.side.events());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), peer.side.receiveStatuses());
        assertEquals(badResponses, peer.side.counter("rcvd_bad_response"));
    }

    @Test
    void shouldNotTakeOtherResponsesForTheAnswer() {
        connect();
        expectProbe(0);
        postSends(1);
        peer.send(RawPacket.ack(THEIR_PSN - 1), RawPacket.nak(THEIR_PSN - 1, RawPacket.NAK_ACCESS), RawPacket.ack(THEIR_PSN + 1),
            RawPacket.nak(THEIR_PSN, 0x40));
        peer.expectNothingFor(MS);
        assertEquals(List.of(2L, 1L, 1L), List.of(peer.side.counter("drop_duplicate_response"),
            peer.side.counter("drop_unsent_psn_response"), peer.side.counter("drop_unexpected_response")));
        expectProbe(0);
    }

    // ---- states ----

    @Test
    void shouldNotProbeBeforeItMaySend() {
        peer = new RawPeer(setup, false);
        peer.side.qp.modify(SimulatedPair.init(setup, setup.accessA));
        peer.side.qp.modify(SimulatedPair.rtr(peer.gid(), RawPeer.QPN, setup, OUR_PSN));
        peer.expectNothingFor(10 * IDLE_NS);
        peer.side.qp.modify(SimulatedPair.rts(setup, THEIR_PSN & 0xffffff));
        long fromNs = peer.nowNs();
        assertEquals(IDLE_NS, expectProbe(0).atNs - fromNs, 4 * US);
    }

    @Test
    void shouldForgetTheProbeOnReset() {
        connect();
        expectProbe(0);
        peer.side.qp.modify(new QpAttributes().state(QpState.RESET));
        peer.expectNothingFor(1000 * MS);
        SimulatedPair.connect(peer.side, peer.gid(), RawPeer.QPN, setup, setup.accessA, THEIR_PSN & 0xffffff, OUR_PSN & 0xffffff);
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.ack(THEIR_PSN));
        long fromNs = peer.nowNs();
        assertEquals(IDLE_NS, expectProbe(1).atNs - fromNs, 4 * US);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @Test
    void shouldProbeNoMoreInErr() {
        connect();
        expectProbe(0);
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of(), peer.side.events());
    }

    /** A probe that was sent is a request that was begun: the send queue is drained when it is acknowledged. */
    @Test
    void shouldFinishTheProbeBeforeTheQueueIsDrainedAndProbeAgainAfterwards() {
        connect();
        expectProbe(0);
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD).sqdAsyncNotify(true));
        expectProbe(0);
        assertEquals(List.of(), peer.side.events());
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.expectNothingFor(10 * IDLE_NS);
        assertEquals(List.of(AsyncEventType.SQ_DRAINED), peer.side.events());
        peer.side.qp.modify(new QpAttributes().state(QpState.RTS));
        peer.expectWithin(IDLE_NS, RawPacket.WRITE_ONLY, THEIR_PSN + 1);
    }

    /** It would never give up. */
    @Test
    void shouldNotProbeWithoutAnAckTimeout() {
        setup.timeout = 0;
        connect();
        peer.expectNothingFor(100 * IDLE_NS);
    }

    /** Each request of XRC names a shared receive queue of the peer. */
    @Test
    void shouldNotProbeXrc() {
        setup.type = QpType.XRC_SEND;
        connect();
        peer.expectNothingFor(100 * IDLE_NS);
    }

    // ---- both ends ----

    /** Packets of one end's probes keep the other from sending its own. */
    @Test
    void shouldKeepALivingConnectionAlive() {
        SimulatedPair pair = new SimulatedPair(1, setup);
        pair.simulation.runFor(100 * IDLE_NS);
        assertEquals(List.of(QpState.RTS, QpState.RTS), List.of(pair.a.qp.state(), pair.b.qp.state()));
        long probes = pair.a.counter("keepalive_probes") + pair.b.counter("keepalive_probes");
        assertTrue(probes >= 99 && probes <= 200, probes + " probes");
        assertEquals(List.of(), pair.b.receives());
        pair.b.qp.postReceive(new ReceiveRequest().begin(1).element(pair.b.memory(100, SimulatedPair.ALL_REMOTE), 0, 100));
        pair.a.qp.postSend(wr.send().element(pair.a.memory(new byte[10]), 0, 10).signaled());
        pair.runUntil(() -> pair.b.receives().size() == 1 && pair.a.sends().size() == 1);
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
    }

    /** As when its host is switched off: nothing says so but the silence. */
    @Test
    void shouldFindThatThePeersQueuePairIsGone() {
        SimulatedPair pair = new SimulatedPair(1, setup);
        pair.a.qp.postReceive(new ReceiveRequest().begin(1).element(pair.a.memory(100, SimulatedPair.ALL_REMOTE), 0, 100));
        pair.b.qp.close();
        pair.runUntil(() -> pair.a.qp.state() == QpState.ERR);
        assertEquals(List.of(AsyncEventType.QP_FATAL), pair.a.events());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), pair.a.receiveStatuses());
    }
}
