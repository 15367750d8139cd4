// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.agent.Deadline;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.Opcode;

/** Two machines, their work queues and a batch of packets between them: no device, no lock, no link, no clock. */
class RcMachineTest {
    private static final int A_PSN = 100;
    private static final int B_PSN = 0xfffffe;

    private final MachineEnd a = new MachineEnd(0x11, 1);
    private final MachineEnd b = new MachineEnd(0x12, 2);

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
        assertEquals(List.of(2L, 1L), List.of(a.counters.get(RxeCounter.SENT_PKTS), b.counters.get(RxeCounter.SENT_PKTS)));
        assertEquals(102, a.machine.query().sqPsn());
        assertEquals(102, b.machine.query().rqPsn());
    }

    @Test
    void shouldCutInlineDataIntoPackets() {
        String text = "x".repeat(256) + "y".repeat(44);
        b.queues.postReceive(7, 512);
        a.queues.postInline(1, text);
        assertEquals(2, a.transmitTo(b));
        assertEquals(text, b.queues.received(300));
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

    /** Attributes of a queue pair in RESET are as if it had just been created. IBA vol 1 §10.3.1.1 */
    @Test
    void shouldForgetPacketsInFlightAndItsTimersOnReset() {
        a.queues.postSend(1, "one");
        a.turn();
        assertTrue(a.machine.deadlineNs() != Deadline.NEVER);
        a.machine.modify(new QpAttributes(), QpState.RESET, null);
        assertEquals(Deadline.NEVER, a.machine.deadlineNs());
        assertEquals(0, a.machine.query().sqPsn());
    }

    @Test
    void shouldNotAnswerAfterAReset() {
        b.queues.postReceive(7, 16);
        a.queues.postSend(1, "request");
        a.transmitTo(b);
        b.machine.modify(new QpAttributes(), QpState.RESET, null);
        assertEquals(List.of(), b.turn());
    }

    /** Nothing is known yet of where packets may come from. */
    @Test
    void shouldAcceptNoOriginWithoutAPath() {
        RcMachine fresh = new MachineEnd(0x13, 3).machine;
        fresh.modify(new QpAttributes().accessFlags(0), QpState.INIT, null);
        assertEquals(RxeCounter.DROP_QP_STATE, fresh.checkOrigin(new InboundPacket()));
    }

    /** IBA vol 1 §10.3.1.3: in RTR the send queue is not processed. */
    @Test
    void shouldSendNothingThatIsPostedBeforeReadyToSend() {
        MachineEnd end = new MachineEnd(0x13, 3);
        end.readyToReceive(b, B_PSN);
        end.queues.postSend(1, "early");
        assertEquals(List.of(), end.turn());
        end.readyToSend(A_PSN);
        assertEquals(List.of(Opcode.RC_SEND_ONLY), end.turn());
    }

    // ---- interfaces whose MTU shrank ----

    /** An interface whose MTU shrank, and the connections that were reported lost for it. */
    private static final class ShrunkInterface implements InterfaceMtu {
        static final int PATH_MTU = 128;
        final List<String> lost = new ArrayList<>();

        @Override
        public int pathMtu() {
            return PATH_MTU;
        }

        @Override
        public void onConnectionLost(int qpn, int pathMtu) {
            lost.add(qpn + " " + pathMtu);
        }
    }

    /** Lets A's packets be lost until it gives up, with an interface that takes no more than 128 bytes of payload. */
    private ShrunkInterface loseMessage(int bytes, int payloadInMemory) {
        MachineEnd end = new MachineEnd(0x13, 3);
        ShrunkInterface shrunk = new ShrunkInterface();
        end.machine.explainBy(shrunk);
        end.machine.payloadInMemory(payloadInMemory);
        end.retryCount = 0;
        end.connect(b, A_PSN, B_PSN);
        end.queues.postSend(1, "x".repeat(bytes));
        end.turn();
        end.expireTimer();
        assertEquals(List.of("1 SEND RETRY_EXC_ERR 0"), end.queues.completions);
        Reason expected = shrunk.lost.isEmpty() ? Reason.NO_ANSWER : Reason.PATH_MTU_TOO_LARGE;
        assertEquals(expected, end.queues.failures.getLast().reason());
        return shrunk;
    }

    /** Neither a short message nor one of exactly that size, nor one that stays in memory, is too long for the interface. */
    @ParameterizedTest
    @CsvSource({"100, 0", "128, 0", "300, 1024"})
    void shouldNotBlameTheInterfaceForALossOfPacketsThatFitIt(int bytes, int payloadInMemory) {
        assertEquals(List.of(), loseMessage(bytes, payloadInMemory).lost);
    }

    @ParameterizedTest
    @ValueSource(ints = {129, 256, 300})
    void shouldReportThatThePathMtuNoLongerFits(int bytes) {
        assertEquals(List.of(0x13 + " 256"), loseMessage(bytes, 0).lost);
    }
}
