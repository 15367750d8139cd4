// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.device.agent.Deadline;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.rxe.config.Segmentation;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.wire.roce.Opcode;

/** Turns of a machine: which packets, how many of its budget, and what it accounts to the budget that queue pairs share. */
class RcMachineTurnTest {
    private static final int MTU = 256;
    private static final int ACK = Opcode.RC_ACKNOWLEDGE;
    private static final int SEND = Opcode.RC_SEND_ONLY;
    private static final int PROBE = Opcode.RC_RDMA_WRITE_ONLY;
    private static final int CNP = 0x81;
    private static final long MS = 1_000_000;
    private static final long US = 1_000;
    private static final QueuePairOptions EARLY = QueuePairOptions.DEFAULT.withRecovery(Recovery.EARLY);
    private static final QueuePairOptions KEEP_ALIVE = QueuePairOptions.DEFAULT.withKeepAliveNs(10 * MS);
    /** Line rate 1 Gbit/s: 500 Mbit/s after the first notification, and the timers are too slow to raise it during a test. */
    private static final QueuePairOptions CONGESTION =
        QueuePairOptions.DEFAULT.withCongestion(CongestionControl.parse("dcqcn,rate=1gbit,timer=1s,bytes=999999999"));

    private final MachineEnd a = new MachineEnd(0x11, 1);
    private final MachineEnd b = new MachineEnd(0x12, 2);

    private void connect() {
        connect(QueuePairOptions.DEFAULT);
    }

    /** @param options those of B */
    private void connect(QueuePairOptions options) {
        b.machine.follow(options);
        a.connect(b, 100, 0xfffffe);
        b.connect(a, 0xfffffe, 100);
    }

    private void postSends(int count) {
        for (int i = 0; i < count; i++) {
            b.queues.postSend(i, "message");
        }
    }

    /** Has B receive a message, which it has to acknowledge. */
    private void oweAcknowledgement() {
        b.queues.postReceive(7, 16);
        a.queues.postSend(1, "request");
        a.transmitTo(b);
    }

    /** Has B receive a READ of so many packets. */
    private void oweResponses(int packets) {
        a.queues.postRead(1, b.queues, packets * MTU);
        a.transmitTo(b);
    }

    /** Exchanges a message, and lets B's next ones be lost until it probes. */
    private void letProbe(int lost) {
        a.queues.postReceive(7, 16);
        postSends(1);
        b.transmitTo(a);
        a.transmitTo(b);
        assertEquals(List.of("0 SEND SUCCESS 7"), b.queues.completions);
        postSends(lost);
        b.turn();
        b.expireTimer();
        assertEquals(1, b.counters.get(RxeCounter.SILENCE_PROBES));
    }

    /** Lets B be idle until it probes the peer. */
    private void letProbeWhenIdle() {
        b.turn();
        b.expireTimer();
    }

    // ---- the budget of a turn ----

    @Test
    void shouldSendTheResponsesOfAReadInAsManyTurnsAsTheyTake() {
        connect();
        oweResponses(5);
        assertEquals(List.of(Opcode.RC_RDMA_READ_RESPONSE_FIRST, Opcode.RC_RDMA_READ_RESPONSE_MIDDLE), b.turn(2));
        assertEquals(List.of(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, Opcode.RC_RDMA_READ_RESPONSE_MIDDLE), b.turn(2));
        assertEquals(List.of(Opcode.RC_RDMA_READ_RESPONSE_LAST), b.turn(2));
    }

    @Test
    void shouldSendRequestsInTheRoomThatResponsesLeave() {
        connect();
        oweResponses(1);
        postSends(5);
        assertEquals(List.of(Opcode.RC_RDMA_READ_RESPONSE_ONLY, SEND, SEND, SEND), b.turn(4));
    }

    @Test
    void shouldLeaveRoomForTheAcknowledgementBehindRequests() {
        connect();
        oweAcknowledgement();
        postSends(5);
        assertEquals(List.of(SEND, SEND, ACK), b.turn(3));
        assertEquals(List.of(SEND, SEND, SEND), b.turn(4));
    }

    @Test
    void shouldCountAProbeAsAPacket() {
        connect(EARLY);
        letProbe(1);
        postSends(3);
        assertEquals(List.of(SEND, SEND), b.turn(2));
        assertEquals(1, b.counters.get(RxeCounter.RETRANSMITTED_PKTS));
        assertEquals(List.of(SEND, SEND), b.turn(3));
    }

    @Test
    void shouldNotSendAProbeInTheRoomOfTheAcknowledgement() {
        connect(EARLY);
        letProbe(1);
        oweAcknowledgement();
        assertEquals(List.of(ACK), b.turn(1));
        assertEquals(List.of(SEND), b.turn(1));
    }

    @Test
    void shouldNotProbeAnIdlePeerInTheRoomOfTheAcknowledgement() {
        connect(KEEP_ALIVE);
        letProbeWhenIdle();
        oweAcknowledgement();
        assertEquals(List.of(ACK), b.turn(1));
        assertEquals(List.of(PROBE), b.turn(1));
        assertEquals(List.of(), b.turn(1));
    }

    @Test
    void shouldNotProbeInError() {
        connect(EARLY);
        letProbe(1);
        b.machine.enterError();
        assertEquals(List.of(), b.turn());
        assertEquals(List.of(), b.queues.events, "the probe, which has no packet any more, does not fail");
    }

    /** Its memory is gone: the work request fails, and nothing was sent. */
    @Test
    void shouldCountNoPacketForAProbeThatCannotBeSent() {
        connect(EARLY);
        letProbe(1);
        b.queues.table.remove(b.queues.region.key());
        assertEquals(List.of(), b.turn());
        assertEquals("0 SEND LOC_PROT_ERR 0", b.queues.completions.getLast());
        assertEquals(QpState.ERR, b.machine.state());
    }

    /** The number of packets that are sent in whole trains of at most 65,000 bytes, and no more than 64 · 4160 bytes. */
    @ParameterizedTest
    @CsvSource({"0, FAITHFUL, 64", "1020, FAITHFUL, 62", "1024, FAITHFUL, 62", "1024, EQUAL, 61", "65536, FAITHFUL, 4"})
    void shouldEndATurnWithAWholeTrain(int payloadInMemory, Segmentation segmentation, int packets) {
        b.machine.payloadInMemory(payloadInMemory);
        connect(QueuePairOptions.DEFAULT.withSegmentation(segmentation));
        assertEquals(packets, b.machine.turnPackets());
    }

    // ---- what there is to send ----

    static Stream<Named<Consumer<RcMachineTurnTest>>> reasonsToSend() {
        return Stream.of(
            Named.of("a message", t -> {
                t.connect();
                t.postSends(1);
            }),
            Named.of("READ responses", t -> {
                t.connect();
                t.oweResponses(2);
            }),
            Named.of("a probe of a silent peer", t -> {
                t.connect(EARLY);
                t.letProbe(1);
            }),
            Named.of("a probe of an idle peer", t -> {
                t.connect(KEEP_ALIVE);
                t.letProbeWhenIdle();
            }));
    }

    @ParameterizedTest
    @MethodSource("reasonsToSend")
    void shouldHaveDataUntilItIsSent(Consumer<RcMachineTurnTest> reason) {
        reason.accept(this);
        assertTrue(b.machine.hasData());
        assertFalse(b.turn().isEmpty());
        assertFalse(b.machine.hasData());
    }

    @Test
    void shouldNotTakeALoneAcknowledgementForData() {
        connect();
        assertFalse(b.machine.hasData());
        oweAcknowledgement();
        assertFalse(b.machine.hasData());
    }

    // ---- the budget of the device ----

    static Stream<Named<Consumer<RcMachine>>> ends() {
        return Stream.of(
            Named.of("ERR", RcMachine::enterError),
            Named.of("RESET", machine -> machine.modify(new QpAttributes(), QpState.RESET, null)),
            Named.of("destroyed", RcMachine::close));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void shouldReturnItsPartOfTheBudgetAtTheEnd(Consumer<RcMachine> end) {
        connect();
        postSends(3);
        b.turn();
        assertEquals(3, b.flight.inFlight());
        end.accept(b.machine);
        assertEquals(0, b.flight.inFlight());
    }

    @ParameterizedTest
    @MethodSource("ends")
    void shouldLeaveTheLineAtTheEnd(Consumer<RcMachine> end) {
        connect();
        waitForTheBudget();
        end.accept(b.machine);
        b.flight.move(-FlightBudget.FIRST_PACKETS);
        assertNull(b.flight.next());
    }

    private void waitForTheBudget() {
        b.flight.move(FlightBudget.FIRST_PACKETS);
        postSends(1);
        assertEquals(List.of(), b.turn());
    }

    @Test
    void shouldWaitInLineForTheBudget() {
        connect();
        waitForTheBudget();
        b.flight.move(-FlightBudget.FIRST_PACKETS);
        assertSame(b.machine, b.flight.next());
        assertEquals(List.of(SEND), b.turn());
        b.turn();
        assertNull(b.flight.next());
    }

    @Test
    void shouldNotWaitInLineWithNothingToSend() {
        connect();
        postSends(1);
        b.turn();
        b.flight.move(FlightBudget.FIRST_PACKETS);
        b.turn();
        b.flight.move(-FlightBudget.FIRST_PACKETS);
        assertNull(b.flight.next());
    }

    /** They are no longer in flight: otherwise it would wait for room that only it can make. */
    @Test
    void shouldSendLostPacketsAgainInTheRoomThatTheyHad() {
        connect();
        b.flight.move(FlightBudget.FIRST_PACKETS);
        // Other queue pairs lost packets, too: this loss closes the budget no further.
        b.flight.onLoss();
        b.flight.move(b.flight.room() - 2);
        postSends(2);
        assertEquals(List.of(SEND, SEND), b.turn());
        assertEquals(0, b.flight.room());
        b.expireTimer();
        assertEquals(List.of(SEND, SEND), b.turn());
    }

    @Test
    void shouldKeepWithinTheBudgetWhenItSendsTheLastRequests() {
        connect();
        b.flight.move(FlightBudget.FIRST_PACKETS - 3);
        postSends(5);
        assertEquals(2, b.machine.sendPosted(b.nowNs, b.writer, 2));
        assertEquals(1, b.machine.sendPosted(b.nowNs, b.writer, 2));
        assertEquals(0, b.machine.sendPosted(b.nowNs, b.writer, 2));
        assertEquals(0, b.flight.room());
    }

    // ---- congestion control ----

    private void notifyOfCongestion() {
        b.machine.onCongestionNotification(b.nowNs);
    }

    /** A packet takes 272 bytes, and 200 µs at 500 Mbit/s are 12,500 bytes: the one begun last may exceed them. */
    @Test
    void shouldSendAsManyPacketsAsTheRateAllows() {
        connect(CONGESTION);
        notifyOfCongestion();
        b.nowNs += 200 * US;
        postLongMessage();
        assertEquals(1 + 12_500 / (12 + MTU + 4), b.turn().size());
        assertEquals(List.of(), b.turn());
    }

    private void postLongMessage() {
        b.queues.postSend(1, "x".repeat(15 * MTU));
        b.queues.postSend(2, "x".repeat(15 * MTU));
        b.queues.postSend(3, "x".repeat(15 * MTU));
        b.queues.postSend(4, "x".repeat(15 * MTU));
    }

    @Test
    void shouldHandleTheTimerOfItsRateOnce() {
        connect(CONGESTION);
        notifyOfCongestion();
        postLongMessage();
        b.turn();
        b.expireTimer();
        assertFalse(Deadline.isDue(b.machine.deadlineNs(), b.nowNs));
    }

    /** Neither a notification nor an acknowledgement is data, but both are packets of the turn. */
    @Test
    void shouldCountNotificationsAndAcknowledgementsInATurnAtARate() {
        connect(CONGESTION);
        oweAcknowledgement();
        b.machine.onCongestionMark(b.nowNs);
        postSends(3);
        assertEquals(List.of(CNP, SEND), b.turn(2));
        assertEquals(List.of(SEND), b.turn(1));
        assertEquals(List.of(SEND, ACK), b.turn(3));
        assertEquals(List.of(), b.turn(3));
    }
}
