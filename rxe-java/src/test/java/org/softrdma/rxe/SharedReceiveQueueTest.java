// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** RC queue pairs that share a receive queue, peers by hand or for real. IBA vol 1 §10.2.9. */
class SharedReceiveQueueTest {
    private static final int RNR_OF_CODE_12 = 0x2c;
    private static final int OTHER_PSN = 0x100;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final ReceiveRequest recv = new ReceiveRequest();
    private final SendRequest wr = new SendRequest();
    private RawPeer peer;
    private MemoryRegion memory;

    private void connect() {
        setup.srqDepth = 8;
        peer = new RawPeer(setup);
        memory = peer.side.memory(100_000, SimulatedPair.ALL_REMOTE);
    }

    /** A second queue pair of the same device on the same shared queue, connected to the same peer. */
    private QueuePair connectOther() {
        QueuePair other = peer.side.newQp(peer.side.pd);
        SimulatedPair.connect(other, peer.gid(), RawPeer.QPN + 1, setup, setup.accessA, THEIR_PSN, OTHER_PSN);
        return other;
    }

    private void postReceives(int first, int count) {
        for (int i = first; i < first + count; i++) {
            peer.side.srq.postReceive(recv.begin(i).element(memory, i * 4096L, 4096));
        }
    }

    private static RawPacket send(int psn) {
        return RawPacket.of(RawPacket.SEND_ONLY, psn).payload(10).ackRequest();
    }

    private List<String> receives() {
        return peer.side.receives().stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }

    // ---- taking ----

    @Test
    void shouldKeepTheReceiveOfALongMessageWhileOthersAreTakenAndDone() {
        connect();
        QueuePair other = connectOther();
        postReceives(0, 2);
        peer.send(RawPacket.of(RawPacket.SEND_FIRST, OUR_PSN).payload(1024));
        peer.send(send(OTHER_PSN).destQpn(other.qpNum()));
        peer.runFor(MS);
        assertEquals(List.of("1 SUCCESS"), receives());
        peer.send(RawPacket.of(RawPacket.SEND_LAST, OUR_PSN + 1).payload(6));
        peer.runFor(MS);
        assertEquals(List.of("1 SUCCESS", "0 SUCCESS"), receives());
        assertEquals(1030, peer.side.receives().getLast().byteLength());
        assertArrayEquals(RawPacket.of(RawPacket.SEND_LAST, OUR_PSN + 1).payload(6).payload(),
            memory.memory().asSlice(1024, 6).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void shouldAnswerReceiverNotReadyWhileItIsEmpty() {
        connect();
        peer.send(send(OUR_PSN));
        peer.expectSyndrome(OUR_PSN, RNR_OF_CODE_12);
        postReceives(5, 1);
        peer.send(send(OUR_PSN));
        peer.expectAck(OUR_PSN);
        peer.send(send(OUR_PSN + 1));
        peer.expectSyndrome(OUR_PSN + 1, RNR_OF_CODE_12);
        assertEquals(List.of("5 SUCCESS"), receives());
    }

    @Test
    void shouldTakeAReceiveForAWriteOnlyWithItsImmediate() {
        connect();
        peer.send(RawPacket.of(RawPacket.WRITE_FIRST, OUR_PSN).reth(memory.address(), memory.rkey(), 1030).payload(1024).ackRequest());
        peer.expectAck(OUR_PSN);
        RawPacket last = RawPacket.of(RawPacket.WRITE_LAST_IMM, OUR_PSN + 1).immediate(7).payload(6).ackRequest();
        peer.send(last);
        peer.expectSyndrome(OUR_PSN + 1, RNR_OF_CODE_12);
        postReceives(3, 1);
        peer.send(last);
        peer.expectAck(OUR_PSN + 1);
        assertEquals(List.of("3 SUCCESS"), receives());
    }

    // ---- errors ----

    @Test
    void shouldFlushTheReceiveOfAMessageThatWasNotComplete() {
        connect();
        postReceives(0, 2);
        peer.send(RawPacket.of(RawPacket.SEND_FIRST, OUR_PSN).payload(1024));
        peer.runFor(MS);
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        assertEquals(List.of("0 WR_FLUSH_ERR"), receives());
        assertEquals(List.of(AsyncEventType.QP_LAST_WQE_REACHED), peer.side.events());
    }

    @Test
    void shouldRaiseTheErrorsOwnEventBeforeTheLastReceivesOne() {
        connect();
        peer.side.srq.postReceive(recv.begin(7).element(memory, 0, 9));
        peer.send(send(OUR_PSN));
        peer.expectSyndrome(OUR_PSN, RawPacket.NAK_INVALID);
        assertEquals(List.of("7 LOC_LEN_ERR"), receives());
        assertEquals(List.of(AsyncEventType.QP_REQ_ERR, AsyncEventType.QP_LAST_WQE_REACHED), peer.side.events());
    }

    /** A taken receive is lost with the queue pair; the others remain for its next use. */
    @Test
    void shouldForgetTheTakenReceiveOnReset() {
        connect();
        postReceives(0, 2);
        peer.send(RawPacket.of(RawPacket.SEND_FIRST, OUR_PSN).payload(1024));
        peer.runFor(MS);
        peer.side.qp.modify(new QpAttributes().state(QpState.RESET));
        SimulatedPair.connect(peer.side, peer.gid(), RawPeer.QPN, setup, setup.accessA, THEIR_PSN, OUR_PSN);
        peer.send(send(OUR_PSN));
        peer.expectAck(OUR_PSN);
        assertEquals(List.of("1 SUCCESS"), receives());
    }

    // ---- other services ----

    /** An abandoned message leaves its receive to the next one: no receive of the shared queue is lost. */
    @Test
    void shouldUseTheReceiveOfAnInterruptedUcMessageForTheNext() {
        setup.type = QpType.UC;
        connect();
        postReceives(0, 2);
        peer.send(RawPacket.of(RawPacket.UC | RawPacket.SEND_FIRST, OUR_PSN).payload(1024));
        peer.send(RawPacket.of(RawPacket.UC | RawPacket.SEND_ONLY, OUR_PSN + 5).payload(10));
        peer.send(RawPacket.of(RawPacket.UC | RawPacket.SEND_ONLY, OUR_PSN + 6).payload(10));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), receives());
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), receives());
        assertEquals(AsyncEventType.QP_LAST_WQE_REACHED, peer.side.events().getLast());
    }

    @Test
    void shouldServeDatagrams() {
        setup.type = QpType.UD;
        setup.qkey = 0x1234;
        connect();
        postReceives(0, 1);
        RawPacket datagram = RawPacket.of(RawPacket.UD_SEND, 0).deth(setup.qkey, 0xabcdef).payload(10);
        peer.send(datagram, datagram);
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS"), receives(), "the second one found nothing and is lost, without an answer");
        postReceives(1, 1);
        peer.send(datagram);
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), receives());
        assertEquals(List.of(50, 50), peer.side.receives().stream().map(wc -> wc.byteLength()).toList());
    }

    // ---- all together ----

    /** Three connections, one shared queue, a lossy network, receives posted late: each message arrives once, in order on its pair. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void shouldServeSeveralQueuePairsOverALossyNetwork(long seed) {
        int queuePairs = 3;
        int messages = 40;
        setup.srqDepth = 4;
        setup.faults = FaultPlan.NONE.withLoss(0.05).withReordering(0.05, 20_000);
        SimulatedPair pair = new SimulatedPair(seed, setup);
        List<QueuePair> senders = new ArrayList<>(List.of(pair.a.qp));
        List<QueuePair> receivers = new ArrayList<>(List.of(pair.b.qp));
        for (int i = 1; i < queuePairs; i++) {
            QueuePair from = pair.a.newQp(pair.a.pd);
            QueuePair to = pair.b.newQp(pair.b.pd);
            SimulatedPair.connect(from, pair.b.gid, to.qpNum(), setup, 0, i, 1000 + i);
            SimulatedPair.connect(to, pair.a.gid, from.qpNum(), setup, 0, 1000 + i, i);
            senders.add(from);
            receivers.add(to);
        }
        int slotBytes = 3000;
        MemoryRegion target = pair.b.memory(4L * slotBytes, SimulatedPair.ALL_REMOTE);
        MemoryRegion source = pair.a.memory((long) queuePairs * messages * 8 + slotBytes, SimulatedPair.ALL_REMOTE);
        for (int m = 0; m < messages; m++) {
            for (int q = 0; q < queuePairs; q++) {
                long at = (long) (q * messages + m) * 8;
                source.memory().set(ValueLayout.JAVA_LONG, at, q * 1000L + m);
                senders.get(q).postSend(wr.send().wrId(m).element(source, at, 8).element(source, 0, (q + m) * 17 % 2900).signaled());
            }
            for (int i = 0; m == 0 && i < 4; i++) {
                pair.b.srq.postReceive(recv.begin(i).element(target, (long) i * slotBytes, slotBytes));
            }
        }
        List<Integer> next = new ArrayList<>(List.of(0, 0, 0));
        for (int done = 0; done < queuePairs * messages; done++) {
            int have = done;
            pair.runUntil(() -> pair.b.receives().size() > have);
            var wc = pair.b.receives().get(done);
            assertEquals(WcStatus.SUCCESS, wc.status(), "seed " + seed);
            int q = receivers.stream().map(QueuePair::qpNum).toList().indexOf(wc.qpNum());
            long content = target.memory().get(ValueLayout.JAVA_LONG, wc.wrId() * slotBytes);
            assertEquals(q * 1000L + next.get(q), content, "seed " + seed);
            assertEquals(8 + (q + next.get(q)) * 17 % 2900, wc.byteLength());
            next.set(q, next.get(q) + 1);
            pair.b.srq.postReceive(recv.begin(wc.wrId()).element(target, wc.wrId() * slotBytes, slotBytes));
        }
        pair.runUntil(() -> pair.a.sends().size() == queuePairs * messages);
        pair.settle();
        assertEquals(queuePairs * messages, pair.b.receives().size());
    }
}
