// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;

/** A queue pair's life: transitions on a real device, what each state does, draining, flushing and using it again. */
class QueuePairStateTest {
    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();
    private RawPeer peer;
    private MemoryRegion memory;

    private void open(boolean connected) {
        peer = new RawPeer(setup, connected);
        memory = peer.side.memory(4096, SimulatedPair.ALL_REMOTE);
    }

    private void postSend(long wrId) {
        peer.side.qp.postSend(wr.send().wrId(wrId).element(memory, 0, 8).signaled());
    }

    private void postReceive(long wrId) {
        peer.side.qp.postReceive(recv.begin(wrId).element(memory, 0, 4096));
    }

    private RawPacket send(int psn) {
        return RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN + psn).payload(8).ackRequest();
    }

    private void modify(Consumer<QpAttributes> setter) {
        QpAttributes attributes = new QpAttributes();
        setter.accept(attributes);
        peer.side.qp.modify(attributes);
    }

    private void goTo(QpState state) {
        if (state.compareTo(QpState.INIT) >= 0) {
            peer.side.qp.modify(SimulatedPair.init(setup, setup.accessA));
        }
        if (state.compareTo(QpState.RTR) >= 0) {
            peer.side.qp.modify(SimulatedPair.rtr(peer.gid(), RawPeer.QPN, setup, OUR_PSN));
        }
        if (state.compareTo(QpState.RTS) >= 0) {
            peer.side.qp.modify(SimulatedPair.rts(setup, THEIR_PSN));
        }
        if (state == QpState.SQD || state == QpState.ERR) {
            modify(attributes -> attributes.state(state));
        }
    }

    private List<String> sends() {
        return peer.side.sends().stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }

    private List<String> receives() {
        return peer.side.receives().stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }

    // ---- the table, on a device ----

    private Map<String, Consumer<QpAttributes>> attributesOf(QpState to) {
        Map<String, Consumer<QpAttributes>> needed = new LinkedHashMap<>();
        switch (to) {
            case INIT -> {
                needed.put("PKEY_INDEX", attributes -> attributes.pkeyIndex(0));
                needed.put("PORT", attributes -> attributes.port(1));
                needed.put("ACCESS_FLAGS", attributes -> attributes.accessFlags(0));
            }
            case RTR -> {
                needed.put("AV", attributes -> attributes.addressVector(AddressVector.to(peer.gid(), 1)));
                needed.put("PATH_MTU", attributes -> attributes.pathMtu(Mtu.MTU_1024));
                needed.put("DEST_QPN", attributes -> attributes.destQpn(RawPeer.QPN));
                needed.put("RQ_PSN", attributes -> attributes.rqPsn(5));
                needed.put("MAX_DEST_RD_ATOMIC", attributes -> attributes.maxDestRdAtomic(1));
                needed.put("MIN_RNR_TIMER", attributes -> attributes.minRnrTimer(1));
            }
            default -> {
                needed.put("TIMEOUT", attributes -> attributes.timeout(14));
                needed.put("RETRY_CNT", attributes -> attributes.retryCount(7));
                needed.put("RNR_RETRY", attributes -> attributes.rnrRetry(7));
                needed.put("SQ_PSN", attributes -> attributes.sqPsn(5));
                needed.put("MAX_QP_RD_ATOMIC", attributes -> attributes.maxRdAtomic(1));
            }
        }
        return needed;
    }

    @ParameterizedTest
    @EnumSource(names = {"INIT", "RTR", "RTS"})
    void shouldNameTheMissingAndTheForeignAttribute(QpState to) {
        open(false);
        goTo(QpState.values()[to.ordinal() - 1]);
        Map<String, Consumer<QpAttributes>> needed = attributesOf(to);
        for (String missing : needed.keySet()) {
            QpAttributes attributes = new QpAttributes().state(to);
            needed.forEach((name, setter) -> {
                if (!name.equals(missing)) {
                    setter.accept(attributes);
                }
            });
            shouldRefuse("missing " + missing, attributes);
        }
        QpAttributes withQkey = new QpAttributes().state(to).qkey(1);
        needed.values().forEach(setter -> setter.accept(withQkey));
        shouldRefuse("not allowed here: QKEY", withQkey);
        QpAttributes complete = new QpAttributes().state(to);
        needed.values().forEach(setter -> setter.accept(complete));
        peer.side.qp.modify(complete);
        assertEquals(to, peer.side.qp.state());
    }

    private void shouldRefuse(String why, QpAttributes attributes) {
        QpState before = peer.side.qp.state();
        VerbsException refused = assertThrows(VerbsException.class, () -> peer.side.qp.modify(attributes), why);
        assertEquals(List.of(Errno.EINVAL, "modify_qp"), List.of(refused.errno(), refused.verb()));
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
        assertEquals(before, peer.side.qp.state(), "unchanged");
    }

    @Test
    void shouldRefuseTransitionsThatAreNotThere() {
        open(false);
        for (QpState to : List.of(QpState.RTR, QpState.RTS, QpState.SQD, QpState.SQE, QpState.ERR)) {
            shouldRefuse("RESET → " + to, new QpAttributes().state(to));
        }
        goTo(QpState.RTS);
        shouldRefuse("RTS → RTR", SimulatedPair.rtr(peer.gid(), RawPeer.QPN, setup, OUR_PSN));
        shouldRefuse("CUR_STATE SQD", new QpAttributes().state(QpState.RTS).curState(QpState.SQD));
        shouldRefuse("TIMEOUT", new QpAttributes().state(QpState.RTS).timeout(3));
    }

    /** IBA vol 1 §11.2.5.2: from RTR on a caller may say in which state the queue pair is; then it must be so. */
    @Test
    void shouldTakeTheCurrentStateOnlyIfItIsRight() {
        open(false);
        goTo(QpState.INIT);
        shouldRefuse("CUR_STATE INIT", SimulatedPair.rtr(peer.gid(), RawPeer.QPN, setup, OUR_PSN).curState(QpState.INIT));
        goTo(QpState.RTR);
        shouldRefuse("CUR_STATE RTS", SimulatedPair.rts(setup, THEIR_PSN).curState(QpState.RTS));
        peer.side.qp.modify(SimulatedPair.rts(setup, THEIR_PSN).curState(QpState.RTR));
        peer.side.qp.modify(new QpAttributes().state(QpState.RTS).curState(QpState.RTS).minRnrTimer(3));
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD));
        shouldRefuse("CUR_STATE RTS", new QpAttributes().state(QpState.RTS).curState(QpState.RTS));
        peer.side.qp.modify(new QpAttributes().state(QpState.RTS).curState(QpState.SQD));
        assertEquals(QpState.RTS, peer.side.qp.state());
        shouldRefuse("CUR_STATE", new QpAttributes().state(QpState.ERR).curState(QpState.RTS));
    }

    @Test
    void shouldRefuseValuesOutOfRangeAndTakeTheLastOnesInside() {
        open(false);
        shouldRefuse("PORT 2", new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(2).accessFlags(0));
        shouldRefuse("PKEY_INDEX 1", new QpAttributes().state(QpState.INIT).pkeyIndex(1).port(1).accessFlags(0));
        goTo(QpState.INIT);
        shouldRefuse("RQ_PSN 16777216", SimulatedPair.rtr(peer.gid(), 1, setup, 1 << 24));
        shouldRefuse("DEST_QPN 16777216", SimulatedPair.rtr(peer.gid(), 1 << 24, setup, 0));
        shouldRefuse("MAX_DEST_RD_ATOMIC 129", SimulatedPair.rtr(peer.gid(), 1, setup, 0).maxDestRdAtomic(129));
        shouldRefuse("MIN_RNR_TIMER 32", SimulatedPair.rtr(peer.gid(), 1, setup, 0).minRnrTimer(32));
        shouldRefuse("sgid_index 9", SimulatedPair.rtr(peer.gid(), 1, setup, 0).addressVector(AddressVector.to(peer.gid(), 9)));
        shouldRefuse("sgid_index -1", SimulatedPair.rtr(peer.gid(), 1, setup, 0).addressVector(AddressVector.to(peer.gid(), -1)));
        shouldRefuse("without a GID", SimulatedPair.rtr(Gid.ZERO, 1, setup, 0));
        shouldRefuse("multicast", SimulatedPair.rtr(Gid.ofIpv4(0xe0000001), 1, setup, 0));
        shouldRefuse("the other IPv6", SimulatedPair.rtr(new Gid(0xfd00L << 48, 9), 1, setup, 0));
        peer.side.qp.modify(SimulatedPair.rtr(peer.gid(), 0xffffff, setup, 0xffffff).maxDestRdAtomic(128).minRnrTimer(31)
            .pathMtu(Mtu.MTU_4096));
        shouldRefuse("TIMEOUT 32", SimulatedPair.rts(setup, 0).timeout(32));
        shouldRefuse("RETRY_CNT 8", SimulatedPair.rts(setup, 0).retryCount(8));
        shouldRefuse("RNR_RETRY -1", SimulatedPair.rts(setup, 0).rnrRetry(-1));
        shouldRefuse("MAX_QP_RD_ATOMIC 129", SimulatedPair.rts(setup, 0).maxRdAtomic(129));
        shouldRefuse("SQ_PSN -1", SimulatedPair.rts(setup, -1));
        peer.side.qp.modify(SimulatedPair.rts(setup, 0xffffff).timeout(31).retryCount(7).rnrRetry(7).maxRdAtomic(128));
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    @Test
    void shouldNotConnectToWhomNobodyKnows() {
        open(false);
        goTo(QpState.INIT);
        VerbsException refused = assertThrows(VerbsException.class,
            () -> peer.side.qp.modify(SimulatedPair.rtr(Gid.ofIpv4(0x0afffffe), 1, setup, 0)));
        assertEquals(Errno.EHOSTUNREACH, refused.errno());
        assertEquals(QpState.INIT, peer.side.qp.state());
    }

    // ---- posting and packets per state ----

    @ParameterizedTest
    @EnumSource(names = {"RESET", "INIT", "RTR"})
    void shouldTakeNoSendsBelowRts(QpState state) {
        open(false);
        goTo(state);
        VerbsException refused = assertThrows(VerbsException.class, () -> postSend(1));
        assertEquals(List.of(Errno.EINVAL, "post_send"), List.of(refused.errno(), refused.verb()));
        assertTrue(refused.getMessage().contains(state.toString()), refused.getMessage());
    }

    @Test
    void shouldTakeReceivesFromInitOn() {
        open(false);
        VerbsException refused = assertThrows(VerbsException.class, () -> postReceive(1));
        assertEquals(List.of(Errno.EINVAL, "post_recv"), List.of(refused.errno(), refused.verb()));
        goTo(QpState.INIT);
        postReceive(1);
        assertEquals(QpState.INIT, peer.side.qp.state());
    }

    @ParameterizedTest
    @EnumSource(names = {"RESET", "INIT", "ERR"})
    void shouldBeSilentWhenNotReady(QpState state) {
        open(false);
        goTo(state);
        peer.send(send(0), RawPacket.ack(THEIR_PSN),
            RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(memory.address(), memory.rkey(), 8));
        peer.expectNothingFor(1000 * MS);
        assertEquals(3, peer.side.counter("drop_qp_state"));
    }

    @Test
    void shouldTakeNoResponsesInRtr() {
        open(false);
        goTo(QpState.RTR);
        peer.send(RawPacket.ack(THEIR_PSN), RawPacket.nak(THEIR_PSN, 0x62));
        peer.expectNothingFor(MS);
        assertEquals(2, peer.side.counter("drop_qp_state"));
        peer.side.qp.modify(SimulatedPair.rts(setup, THEIR_PSN));
        postSend(1);
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN);
    }

    // ---- SQD ----

    @Test
    void shouldFinishWhatWasBegunAndThenReportTheQueueDrained() {
        open(true);
        postSend(1);
        postSend(2);
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN);
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 1);
        modify(attributes -> attributes.state(QpState.SQD).sqdAsyncNotify(true));
        postSend(3);
        peer.expectNothingFor(MS);
        assertEquals(List.of(), peer.side.events());
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.expectNothingFor(MS);
        assertEquals(List.of(), peer.side.events());
        // What was begun is repeated, too.
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 1);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of(AsyncEventType.SQ_DRAINED), peer.side.events());
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), sends());
        modify(attributes -> attributes.state(QpState.RTS));
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 2);
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), sends());
        assertEquals(List.of(), peer.side.events());
    }

    @Test
    void shouldReportAnEmptyQueueDrainedAtOnceAndOnlyIfAsked() {
        open(true);
        modify(attributes -> attributes.state(QpState.SQD));
        assertEquals(List.of(), peer.side.events());
        modify(attributes -> attributes.state(QpState.RTS));
        modify(attributes -> attributes.state(QpState.SQD).sqdAsyncNotify(true));
        assertEquals(List.of(AsyncEventType.SQ_DRAINED), peer.side.events());
    }

    @Test
    void shouldReceiveWhileSendsAreDrained() {
        open(true);
        modify(attributes -> attributes.state(QpState.SQD));
        postReceive(1);
        peer.send(send(0), RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN + 1).reth(memory.address(), memory.rkey(), 8));
        peer.expectAck(OUR_PSN);
        peer.expect(RawPacket.READ_ONLY, OUR_PSN + 1);
    }

    @Test
    void shouldChangeTimersOnlyWhileDrained() {
        open(true);
        modify(attributes -> attributes.state(QpState.SQD));
        modify(attributes -> attributes.timeout(10).retryCount(1).rnrRetry(2).maxRdAtomic(3).maxDestRdAtomic(2).minRnrTimer(4));
        QpAttributes now = peer.side.qp.query();
        assertEquals(List.of(10, 1, 2, 3, 4),
            List.of(now.timeout(), now.retryCount(), now.rnrRetry(), now.maxRdAtomic(), now.minRnrTimer()));
    }

    // ---- ERR and RESET ----

    @Test
    void shouldFlushEverythingInOrderWhenSentToErr() {
        open(true);
        for (int i = 0; i < 3; i++) {
            postSend(i);
            postReceive(10 + i);
        }
        peer.takeAll(MS);
        modify(attributes -> attributes.state(QpState.ERR));
        assertEquals(List.of("0 WR_FLUSH_ERR", "1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR"), sends());
        assertEquals(List.of("10 WR_FLUSH_ERR", "11 WR_FLUSH_ERR", "12 WR_FLUSH_ERR"), receives());
        postSend(3);
        postReceive(13);
        peer.expectNothingFor(1000 * MS);
        assertEquals("3 WR_FLUSH_ERR", sends().getLast());
        assertEquals("13 WR_FLUSH_ERR", receives().getLast());
        assertEquals(List.of(), peer.side.events(), "the caller knows");
    }

    @Test
    void shouldForgetEverythingOnResetAndServeAgain() {
        setup.queueDepth = 4;
        open(true);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 4; i++) {
                postSend(i);
                postReceive(10 + i);
            }
            peer.takeAll(MS / 2);
            if (round == 1) {
                modify(attributes -> attributes.state(QpState.ERR));
                peer.side.sends().clear();
                peer.side.receives().clear();
            }
            modify(attributes -> attributes.state(QpState.RESET));
            peer.send(RawPacket.ack(THEIR_PSN), send(0));
            peer.expectNothingFor(1000 * MS);
            assertEquals(List.of(), sends(), "no completions");
            assertEquals(List.of(), receives());
            peer.side.qp.modify(SimulatedPair.init(setup, setup.accessA));
            peer.side.qp.modify(SimulatedPair.rtr(peer.gid(), RawPeer.QPN, setup, 1000));
            peer.side.qp.modify(SimulatedPair.rts(setup, 2000));
            postSend(7);
            postReceive(8);
            peer.expect(RawPacket.SEND_ONLY, 2000);
            peer.send(RawPacket.ack(2000), RawPacket.of(RawPacket.SEND_ONLY, 1000).payload(8).ackRequest());
            assertEquals(1, peer.expectAck(1000).msn(), "counts from zero again");
            assertEquals(List.of("7 SUCCESS"), sends());
            assertEquals(List.of("8 SUCCESS"), receives());
            peer.side.sends().clear();
            peer.side.receives().clear();
        }
    }

    @Test
    void shouldStartOverInTheMiddleOfMessages() {
        open(true);
        postReceive(1);
        peer.side.qp.postSend(wr.read(1, 2).wrId(1).element(memory, 0, 4096).signaled());
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(RawPacket.of(RawPacket.SEND_FIRST, OUR_PSN).payload(1024));
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 0).payload(1024));
        peer.runFor(MS);
        modify(attributes -> attributes.state(QpState.RESET));
        goTo(QpState.RTS);
        postReceive(2);
        postSend(2);
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN);
        peer.send(RawPacket.ack(THEIR_PSN), send(0));
        peer.expectAck(OUR_PSN);
        assertEquals(List.of("2 SUCCESS"), sends());
        assertEquals(List.of("2 SUCCESS"), receives());
    }

    @Test
    void shouldGoToErrWhenSendCompletionsOverrun() {
        setup.cqe = 2;
        open(true);
        for (int i = 0; i < 4; i++) {
            postSend(i);
        }
        peer.takeAll(MS);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.runFor(MS);
        assertEquals(List.of(), peer.side.events());
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of(AsyncEventType.CQ_ERR), peer.side.events());
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), sends());
    }

    @Test
    void shouldTellCurrentPsnsWhenQueried() {
        open(true);
        postReceive(1);
        peer.side.qp.postSend(wr.read(1, 2).element(memory, 0, 3000));
        peer.send(send(0));
        peer.takeAll(MS);
        QpAttributes now = peer.side.qp.query();
        assertEquals(List.of(THEIR_PSN + 3 & 0xffffff, OUR_PSN + 1 & 0xffffff), List.of(now.sqPsn(), now.rqPsn()));
        assertEquals(List.of(QpState.RTS, RawPeer.QPN, Mtu.MTU_1024), new ArrayList<>(List.of(now.state(), now.destQpn(), now.pathMtu())));
    }
}
