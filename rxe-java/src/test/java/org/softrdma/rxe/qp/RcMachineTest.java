// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.device.Counters;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;

/** Two machines, their work queues and a batch of packets between them: no device, no lock, no link, no clock. */
class RcMachineTest {
    private static final long NOW_NS = 1_000_000;
    private static final int A_PSN = 100;
    private static final int B_PSN = 0xfffffe;

    private final End a = new End(0x11, 1);
    private final End b = new End(0x12, 2);

    private static final class End {
        boolean inMemory;
        final TestQueues queues = new TestQueues();
        final Counters<RxeCounter> counters = new Counters<>(RxeCounter.class);
        final TransmitBatch batch = new TransmitBatch(64, 4200);
        final PacketWriter writer = new PacketWriter(batch, counters, _ -> !inMemory);
        final RcMachine machine;
        final Gid address;

        End(int qpn, int host) {
            machine = new RcMachine(qpn, queues, queues.table, counters, new FlightBudget());
            address = Gid.ofIpv4(0x0a000000 | host);
        }

        void connect(End peer, int ownPsn, int peerPsn) {
            machine.modify(new QpAttributes().accessFlags(0), QpState.INIT, null);
            machine.modify(new QpAttributes().pathMtu(Mtu.MTU_256).destQpn(peer.machine.qpn()).rqPsn(peerPsn).maxDestRdAtomic(1)
                .minRnrTimer(1), QpState.RTR, new Path(address, peer.address, 4791, 4791, 0, 64, null));
            machine.modify(new QpAttributes().sqPsn(ownPsn).timeout(14).retryCount(7).rnrRetry(7).maxRdAtomic(1), QpState.RTS, null);
        }

        /** Transmits one turn and returns the opcodes of its packets, which are lost. */
        List<Integer> turn() {
            int first = batch.end();
            int sent = machine.transmit(NOW_NS, writer, QpMachine.TURN_PACKETS);
            return IntStream.range(first, first + sent).mapToObj(i -> Bth.opcode(batch.buffer(), batch.offset(i))).toList();
        }

        /**
         * Transmits until nothing more is sent, and hands each packet to the peer.
         *
         * @return packets
         */
        int transmitTo(End peer) {
            while (machine.transmit(NOW_NS, writer, QpMachine.TURN_PACKETS) > 0) {
                continue;
            }
            int packets = batch.end() - batch.first();
            InboundPacket packet = new InboundPacket();
            for (int i = batch.first(); i < batch.end(); i++) {
                packet.set(new ReceivedFrame().begin(batch.buffer(), batch.offset(i), batch.length(i))
                    .addresses(peer.address, address.high(), address.low()).ports(4791, 4791));
                peer.machine.onPacket(NOW_NS, packet);
            }
            batch.sent(packets);
            return packets;
        }
    }

    @BeforeEach
    void connect() {
        a.connect(b, A_PSN, B_PSN);
        b.connect(a, B_PSN, A_PSN);
    }

    @Test
    void shouldDeliverAndAcknowledgeAMessage() {
        b.queues.postReceive(7, 512);
        a.queues.postSend(1, "x".repeat(256) + "y");
        assertEquals(2, a.transmitTo(b));
        assertEquals(List.of("7 RECV SUCCESS 257"), b.queues.completions);
        assertEquals("x".repeat(256) + "y", b.queues.received(257));
        assertEquals(List.of(), a.queues.completions);
        assertEquals(1, b.transmitTo(a));
        assertEquals(List.of("1 SEND SUCCESS 257"), a.queues.completions);
        assertEquals(0, a.transmitTo(b));
        assertEquals(102, a.machine.query().sqPsn());
        assertEquals(102, b.machine.query().rqPsn());
    }

    /** Has B receive a message that it has not acknowledged, and post its reply. */
    private void reply() {
        b.queues.postReceive(7, 16);
        a.queues.postSend(1, "request");
        a.transmitTo(b);
        b.queues.postSend(2, "reply");
    }

    @Test
    void shouldAcknowledgeBehindAReply() {
        reply();
        assertEquals(List.of(Opcode.RC_SEND_ONLY, Opcode.RC_ACKNOWLEDGE), b.turn());
        assertFalse(b.machine.hasAnswerLeft());
    }

    @Test
    void shouldAcknowledgeInTheTurnAfterAReplyInMemory() {
        b.inMemory = true;
        reply();
        assertEquals(List.of(Opcode.RC_SEND_ONLY), b.turn());
        assertTrue(b.machine.hasAnswerLeft());
        assertEquals(List.of(Opcode.RC_ACKNOWLEDGE), b.turn());
        assertFalse(b.machine.hasAnswerLeft());
        assertEquals(List.of(), b.turn());
    }

    @Test
    void shouldLeaveAnAcknowledgementInMemoryOnce() {
        b.inMemory = true;
        reply();
        b.turn();
        b.queues.postSend(3, "more");
        assertEquals(List.of(Opcode.RC_SEND_ONLY, Opcode.RC_ACKNOWLEDGE), b.turn());
        assertFalse(b.machine.hasAnswerLeft());
    }

    @Test
    void shouldNotLeaveALoneAcknowledgementInMemory() {
        b.inMemory = true;
        b.queues.postReceive(7, 16);
        a.queues.postSend(1, "request");
        a.transmitTo(b);
        assertEquals(List.of(Opcode.RC_ACKNOWLEDGE), b.turn());
    }

    @Test
    void shouldFlushSendsThenReceivesInOrder() {
        a.queues.postReceive(7, 16);
        a.queues.postSend(1, "one");
        a.queues.postSend(2, "two");
        a.machine.enterError();
        assertEquals(List.of("1 SEND WR_FLUSH_ERR 0", "2 SEND WR_FLUSH_ERR 0", "7 RECV WR_FLUSH_ERR 0"), a.queues.completions);
        assertEquals(List.of(), a.queues.events);
        a.queues.postSend(3, "late");
        a.machine.onDoorbell();
        assertEquals("3 SEND WR_FLUSH_ERR 0", a.queues.completions.getLast());
    }

    @Test
    void shouldReportTheLastWqeOnceIfReceivesAreShared() {
        a.queues.sharesReceives = true;
        a.machine.enterError();
        a.machine.enterError();
        assertEquals(List.of(AsyncEventType.QP_LAST_WQE_REACHED), a.queues.events);
    }

    @Test
    void shouldEndADrainWhenWhatWasBegunIsComplete() {
        b.queues.postReceive(7, 16);
        a.queues.postSend(1, "one");
        a.transmitTo(b);
        a.queues.postSend(2, "not begun");
        a.machine.modify(new QpAttributes().sqdAsyncNotify(true), QpState.SQD, null);
        assertEquals(List.of(), a.queues.events);
        b.transmitTo(a);
        assertEquals(List.of(AsyncEventType.SQ_DRAINED), a.queues.events);
        assertEquals(0, a.transmitTo(b));
        assertEquals(List.of("1 SEND SUCCESS 3"), a.queues.completions);
    }

    @Test
    void shouldGoToErrWhenTheCompletionQueueOverruns() {
        b.queues.postReceive(7, 16);
        a.queues.completionRoom = 0;
        a.queues.postSend(1, "one");
        a.transmitTo(b);
        b.transmitTo(a);
        assertEquals(QpState.ERR, a.machine.state());
        assertEquals(0, a.counters.get(RxeCounter.INTERNAL_ERRORS));
    }

    @Test
    void shouldDiscardEverythingOnReset() {
        a.queues.postReceive(7, 16);
        a.queues.postSend(1, "one");
        a.machine.modify(new QpAttributes(), QpState.RESET, null);
        assertEquals(List.of(), a.queues.completions);
        assertEquals(0, a.transmitTo(b));
        assertEquals(QpState.RESET, a.machine.query().state());
    }
}
