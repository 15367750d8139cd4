// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.BufferPool;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamParameters;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.iwarp.TerminateCode;

/** Two machines with their work queues and byte buffers between them, without device, lock, stream or clock. */
class SiwMachineTest {
    private static final long NOW_NS = 1_000_000;

    private final End a = new End(1);
    private final End b = new End(2);

    private static final class End {
        final TestQueues queues = new TestQueues();
        final Counters<SiwCounter> counters = new Counters<>(SiwCounter.class);
        final StreamBuffer out = new StreamBuffer(1 << 16);
        final SiwMachine machine;

        End(int qpn) {
            machine = new SiwMachine(qpn, queues, queues.table, counters, new BufferPool(Fpdu.MAX_LENGTH, 1));
        }

        void connect() {
            machine.modify(new QpAttributes(), QpState.INIT, NOW_NS);
            machine.start(new StreamParameters(true, false, false, 512), 1, 1, MpaOptions.Rtr.NONE, SiwMachine.AT_ONCE);
        }

        /**
         * Transmits and passes the bytes to the peer.
         *
         * @return number of frames
         */
        int transmitTo(End peer) {
            int frames = machine.transmit(NOW_NS, out);
            if (!out.isEmpty()) {
                peer.machine.reader().onBytes(out.bytes(), out.memory(), out.start(), out.end());
                out.clear();
            }
            return frames;
        }
    }

    @BeforeEach
    void connect() {
        a.connect();
        b.connect();
    }

    @Test
    void shouldDeliverAMessageOfSeveralSegments() {
        b.queues.postReceive(7, 1024);
        a.queues.postSend(1, "x".repeat(500) + "y");
        assertEquals(2, a.transmitTo(b));
        assertEquals(List.of("1 SEND SUCCESS 501"), a.queues.completions);
        assertEquals(List.of("7 RECV SUCCESS 501"), b.queues.completions);
        assertEquals("x".repeat(500) + "y", b.queues.received(501));
        assertEquals(0, a.transmitTo(b));
    }

    @Test
    void shouldTerminateAPeerThatSendsWithoutReceive() {
        a.queues.postSend(1, "one");
        a.transmitTo(b);
        assertEquals(QpState.ERR, b.machine.state());
        assertEquals(List.of(AsyncEventType.QP_REQ_ERR), b.queues.events);
        assertFalse(b.machine.isFinished());
        assertEquals(1, b.transmitTo(a));
        assertTrue(b.machine.isFinished());
        assertEquals(TerminateCode.UNTAGGED_NO_BUFFER, a.machine.terminatedBy());
        assertEquals(QpState.ERR, a.machine.state());
        assertEquals(List.of(AsyncEventType.QP_FATAL), a.queues.events);
    }

    @Test
    void shouldFlushSendsThenReceivesInOrder() {
        a.queues.postReceive(7, 16);
        a.queues.postSend(1, "one");
        a.queues.postSend(2, "two");
        a.machine.enterError();
        assertEquals(List.of("1 SEND WR_FLUSH_ERR 0", "2 SEND WR_FLUSH_ERR 0", "7 RECV WR_FLUSH_ERR 0"), a.queues.completions);
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

    /** Unlike on InfiniBand, requests that were posted but not started are still sent before the stream ends. */
    @Test
    void shouldSendWhatIsPostedBeforeADisconnectEnds() {
        b.queues.postReceive(7, 16);
        a.queues.postSend(1, "one");
        a.machine.modify(new QpAttributes(), QpState.SQD, NOW_NS);
        assertEquals(QpState.SQD, a.machine.state());
        a.transmitTo(b);
        assertEquals(List.of("1 SEND SUCCESS 3"), a.queues.completions);
        assertEquals(List.of("7 RECV SUCCESS 3"), b.queues.completions);
        assertEquals(QpState.ERR, a.machine.state());
        assertTrue(a.machine.isFinished());
    }

    @Test
    void shouldSayWhetherTheBufferWasFull() {
        a.queues.postSend(1, "x".repeat(100));
        StreamBuffer small = new StreamBuffer(100);
        assertEquals(0, a.machine.transmit(NOW_NS, small));
        assertTrue(a.machine.isBlocked());
        assertEquals(1, a.machine.transmit(NOW_NS, a.out));
        assertFalse(a.machine.isBlocked());
        assertEquals(0, a.machine.transmit(NOW_NS, small));
        assertFalse(a.machine.isBlocked(), "there is nothing to send");
    }

    /** A queue pair that was never connected: posted receives are flushed, and there is no peer to notify. */
    @Test
    void shouldFlushWithoutAConnection() {
        End never = new End(3);
        never.machine.modify(new QpAttributes(), QpState.INIT, NOW_NS);
        never.queues.postReceive(7, 16);
        never.machine.modify(new QpAttributes(), QpState.ERR, NOW_NS);
        assertEquals(List.of("7 RECV WR_FLUSH_ERR 0"), never.queues.completions);
        assertEquals(0, never.machine.transmit(NOW_NS, never.out));
        assertTrue(never.machine.isFinished());
        assertEquals(Deadline.NEVER, never.machine.deadlineNs());
    }

    /** The Terminate that was not sent, the time limit of the disconnect and the peer's first frame are of the last connection. */
    @Test
    void shouldKeepNothingOfTheLastConnection() {
        b.queues.postReceive(7, 1024);
        a.queues.postSend(1, "x".repeat(1000));
        b.machine.sendReminders();
        StreamBuffer some = new StreamBuffer(600);
        assertEquals(1, a.machine.transmit(NOW_NS, some));
        b.machine.reader().onBytes(some.bytes(), some.memory(), some.start(), some.end());
        assertTrue(b.machine.isPeerHeard());
        a.machine.modify(new QpAttributes(), QpState.SQD, NOW_NS);
        assertEquals(NOW_NS + Closing.PATIENCE_NS, a.machine.deadlineNs());
        a.machine.onBadFraming(TerminateCode.MPA_CRC);
        b.machine.onBadFraming(TerminateCode.MPA_CRC);
        for (End end : List.of(a, b)) {
            assertFalse(end.machine.isFinished(), "the Terminate is not sent yet");
            end.machine.modify(new QpAttributes(), QpState.RESET, NOW_NS);
            assertEquals(0, end.machine.transmit(NOW_NS, end.out));
            assertTrue(end.machine.isFinished());
            end.connect();
            assertFalse(end.machine.isFinished());
            assertFalse(end.machine.isPeerHeard());
            assertEquals(Deadline.NEVER, end.machine.deadlineNs());
            assertEquals(0, end.machine.transmit(NOW_NS, end.out));
        }
    }

    /** A queue pair that is closed in the middle of a connection sends nothing more, not even the Terminate. */
    @Test
    void shouldSendNothingOnceItIsClosed() {
        a.machine.onBadFraming(TerminateCode.MPA_CRC);
        a.machine.close();
        assertEquals(0, a.machine.transmit(NOW_NS, a.out));
        assertTrue(a.machine.isFinished());
    }

    @Test
    void shouldDiscardEverythingOnReset() {
        a.queues.postReceive(7, 16);
        a.queues.postSend(1, "one");
        a.machine.modify(new QpAttributes(), QpState.RESET, NOW_NS);
        assertEquals(List.of(), a.queues.completions);
        assertEquals(0, a.transmitTo(b));
        assertEquals(QpState.RESET, a.machine.query().state());
    }
}
