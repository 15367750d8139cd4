// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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

/** Packets that a queue pair sends and receives in each state, while draining and after a reset. */
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
        peer.send(RawPacket.ack(THEIR_PSN), RawPacket.nak(THEIR_PSN, RawPacket.NAK_ACCESS));
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
        // A request that was begun is repeated, too.
        peer.expectByTimer(RawPacket.SEND_ONLY, THEIR_PSN + 1);
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

    // ---- RESET and the end ----

    /** No request is repeated, nothing completes, and posting is refused. */
    @Test
    void shouldBeSilentAfterClose() {
        open(true);
        postSend(1);
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN);
        peer.side.qp.close();
        assertThrows(VerbsException.class, () -> postSend(2));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of(), sends());
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
