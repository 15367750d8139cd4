// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;

import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.link.sim.Fate;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** The device as responder: each request is executed in its turn and answered. {@link ResponderRepetitionTest} has repeated requests. */
class ResponderScriptTest extends ResponderScript {

    // ---- order and acknowledgement ----

    @Test
    void shouldNakOnceOnPsnGap() {
        connect();
        postReceives(8);
        peer.send(send(1), send(2), send(3));
        assertEquals(0, peer.expectSyndrome(OUR_PSN, RawPacket.NAK_SEQUENCE).msn());
        peer.expectNothingFor(1000 * MS);
        peer.send(send(0));
        assertEquals(1, peer.expectAck(OUR_PSN).msn());
        peer.send(send(2));
        peer.expectSyndrome(OUR_PSN + 1, RawPacket.NAK_SEQUENCE);
        peer.send(send(1), send(2));
        assertEquals(3, peer.expectAck(OUR_PSN + 2).msn(), "one answer for both");
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), receives());
        assertEquals(List.of(4L, 2L), List.of(peer.side.counter("out_of_seq_request"), peer.side.counter("send_seq_err")));
    }

    @Test
    void shouldAcknowledgeFirstAndMiddlePacketsThatAskForItAndNoOthers() {
        connect();
        postReceives(1);
        peer.send(RawPacket.of(RawPacket.SEND_FIRST, OUR_PSN).payload(1024).ackRequest());
        assertEquals(0, peer.expectAck(OUR_PSN).msn());
        peer.send(RawPacket.of(RawPacket.SEND_MIDDLE, OUR_PSN + 1).payload(1024));
        peer.expectNothingFor(1000 * MS);
        peer.send(RawPacket.of(RawPacket.SEND_MIDDLE, OUR_PSN + 2).payload(1024).ackRequest());
        assertEquals(0, peer.expectAck(OUR_PSN + 2).msn());
        peer.send(RawPacket.of(RawPacket.SEND_LAST, OUR_PSN + 3).payload(1));
        peer.expectNothingFor(1000 * MS);
        WorkCompletion wc = peer.side.receives().getFirst();
        assertEquals(List.of(WcStatus.SUCCESS, WcOpcode.RECV, 3073, WcFlags.GRH),
            List.of(wc.status(), wc.opcode(), wc.byteLength(), wc.flags()));
    }

    @Test
    void shouldAnswerReadsAndAtomicsUnasked() {
        connect();
        memory.memory().set(ValueLayout.JAVA_LONG, 0, 41);
        peer.send(RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(memory.address() + 9, memory.rkey(), 3),
            RawPacket.of(RawPacket.COMPARE_SWAP, OUR_PSN + 1).atomic(memory.address(), memory.rkey(), 99, 41));
        RawPacket answer = peer.expect(RawPacket.READ_ONLY, OUR_PSN);
        assertArrayEquals(content(9, 3), answer.payload());
        assertEquals(List.of(0x1f, 1), List.of(answer.syndrome(), answer.msn()));
        RawPacket original = peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + 1);
        assertEquals(List.of(41L, 2L), List.of(original.original(), (long) original.msn()));
        assertEquals(99, memory.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void shouldSplitReadsAndAnswerInOrder() {
        connect();
        postReceives(1);
        peer.send(read(0, 5, 2500), send(3));
        byte[] first = peer.expect(RawPacket.READ_FIRST, OUR_PSN).payload();
        byte[] middle = peer.expect(RawPacket.READ_MIDDLE, OUR_PSN + 1).payload();
        byte[] last = peer.expect(RawPacket.READ_LAST, OUR_PSN + 2).payload();
        assertArrayEquals(content(5, 1024), first);
        assertArrayEquals(content(1029, 1024), middle);
        assertArrayEquals(content(2053, 452), last);
        peer.expectAck(OUR_PSN + 3);
    }

    /** The pad follows the data. IBA vol 1 §9.2 */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 1025, 1026, 1027})
    void shouldAnswerReadsOfAnyLength(int length) {
        connect();
        peer.send(read(0, 5, length));
        List<RawPacket> answers = peer.takeAll(MS);
        for (int i = 0; i < answers.size(); i++) {
            assertArrayEquals(content(5 + 1024 * i, Math.min(1024, length - 1024 * i)), answers.get(i).payload());
        }
        assertEquals((length + 1023) / 1024, answers.size());
    }

    @Test
    void shouldNeedNoKeyForMessagesWithoutBytes() {
        connect();
        postReceives(1);
        peer.send(RawPacket.of(RawPacket.WRITE_ONLY, OUR_PSN).reth(1, 2, 0).ackRequest(),
            RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN + 1).reth(3, 4, 0).ackRequest(),
            RawPacket.of(RawPacket.WRITE_ONLY_IMM, OUR_PSN + 2).reth(5, 6, 0).immediate(0xa1b2c3d4).ackRequest());
        peer.expectAck(OUR_PSN);
        assertEquals(0, peer.expect(RawPacket.READ_ONLY, OUR_PSN + 1).payload().length);
        peer.expectAck(OUR_PSN + 2);
        WorkCompletion wc = peer.side.receives().getFirst();
        assertEquals(List.of(WcOpcode.RECV_RDMA_WITH_IMM, 0, 0xa1b2c3d4, WcFlags.GRH | WcFlags.WITH_IMM),
            List.of(wc.opcode(), wc.byteLength(), wc.immediate(), wc.flags()));
    }

    /** For a WRITE with immediate, byte_len is the length of the write, and the receive's buffers are unchanged. */
    @Test
    void shouldTakeReceiveForImmediateOfWriteAndLeaveItsBuffersAlone() {
        connect();
        peer.side.qp.postReceive(recv.begin(7).element(memory, 50_000, 100));
        byte[] before = content(50_000, 100);
        peer.send(RawPacket.of(RawPacket.WRITE_FIRST, OUR_PSN).reth(memory.address(), memory.rkey(), 1030).payload(1024),
            RawPacket.of(RawPacket.WRITE_LAST_IMM, OUR_PSN + 1).immediate(5).payload(6).ackRequest());
        peer.expectAck(OUR_PSN + 1);
        assertEquals(1030, peer.side.receives().getFirst().byteLength());
        assertArrayEquals(before, content(50_000, 100));
    }

    /** Depths are rounded up to a power of two, as in the kernel: a kernel peer rounds its own up and uses that many. */
    @ParameterizedTest
    @CsvSource({"1,1", "2,2", "3,4", "4,4", "5,8"})
    void shouldTakeAsManyReadsAtOnceAsTheDepthRoundedUp(int depth, int most) {
        setup.destRdAtomic = depth;
        connect();
        RawPacket[] reads = new RawPacket[most + 1];
        for (int i = 0; i <= most; i++) {
            reads[i] = read(i, i, 10);
        }
        peer.send(Arrays.copyOf(reads, most));
        for (int i = 0; i < most; i++) {
            peer.expect(RawPacket.READ_ONLY, OUR_PSN + i);
        }
        for (int i = 0; i <= most; i++) {
            reads[i] = read(most + i, i, 10);
        }
        peer.send(reads);
        for (int i = 0; i < most; i++) {
            peer.expect(RawPacket.READ_ONLY, OUR_PSN + most + i);
        }
        peer.expectSyndrome(OUR_PSN + 2 * most, RawPacket.NAK_INVALID);
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    // ---- receiver not ready ----

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 12, 31})
    void shouldRefuseUntilReceiveIsPosted(int code) {
        setup.minRnrTimer = code;
        connect();
        // Without AckReq, and with a second packet after it: there is an RNR NAK all the same, and only one.
        peer.send(RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(10), send(1));
        assertEquals(0, peer.expectSyndrome(OUR_PSN, 0x20 | code).msn());
        peer.expectNothingFor(1000 * MS);
        peer.send(send(0));
        peer.expectSyndrome(OUR_PSN, 0x20 | code);
        postReceives(2);
        peer.send(send(0), send(1));
        peer.expectAck(OUR_PSN + 1);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), receives());
        assertEquals(List.of(2L, 1L, 0L), List.of(peer.side.counter("send_rnr_err"), peer.side.counter("out_of_seq_request"),
            peer.side.counter("send_seq_err")));
    }

    /** Only the packet with the immediate needs the receive; repeating just that one is enough. */
    @Test
    void shouldRefuseOnlyTheLastPacketOfWriteWithImmediate() {
        connect();
        RawPacket last = RawPacket.of(RawPacket.WRITE_LAST_IMM, OUR_PSN + 1).immediate(5).payload(6).ackRequest();
        RawPacket first = RawPacket.of(RawPacket.WRITE_FIRST, OUR_PSN).reth(memory.address(), memory.rkey(), 1030).payload(1024);
        peer.send(first, last);
        peer.expectSyndrome(OUR_PSN + 1, 0x20 | 12);
        assertArrayEquals(first.payload(), content(0, 1024));
        postReceives(1);
        peer.send(last);
        peer.expectAck(OUR_PSN + 1);
        assertArrayEquals(last.payload(), content(1024, 6));
        assertEquals(1030, peer.side.receives().getFirst().byteLength());
    }

    // ---- memory that changes while in use ----

    static Stream<Arguments> restrictions() {
        Reregistration noRight = new Reregistration().access(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
        return Stream.of(
            Arguments.of("without REMOTE_WRITE, before the last packet", false,
                (Consumer<ResponderScriptTest>) t -> t.memory.reregister(noRight)),
            Arguments.of("without REMOTE_WRITE, before a packet in the middle", true,
                (Consumer<ResponderScriptTest>) t -> t.memory.reregister(noRight)),
            Arguments.of("in another protection domain, before the last packet", false,
                (Consumer<ResponderScriptTest>) t -> t.memory.reregister(new Reregistration().pd(t.peer.side.context.allocatePd()))),
            Arguments.of("in another protection domain, before a packet in the middle", true,
                (Consumer<ResponderScriptTest>) t -> t.memory.reregister(new Reregistration().pd(t.peer.side.context.allocatePd()))));
    }

    /** Every packet is judged by the key as it is now, also the last one. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("restrictions")
    void shouldRefuseRestOfWriteWhenTheKeyNoLongerAllowsIt(String how, boolean middle, Consumer<ResponderScriptTest> restriction) {
        connect();
        byte[] before = content(1024, 3000);
        RawPacket first = RawPacket.of(RawPacket.WRITE_FIRST, OUR_PSN).reth(memory.address(), memory.rkey(), middle ? 3000 : 1030)
            .payload(1024);
        peer.send(first);
        peer.runFor(MS);
        restriction.accept(this);
        peer.send(middle ? RawPacket.of(RawPacket.WRITE_MIDDLE, OUR_PSN + 1).payload(1024)
            : RawPacket.of(RawPacket.WRITE_LAST, OUR_PSN + 1).payload(6));
        peer.expectSyndrome(OUR_PSN + 1, RawPacket.NAK_ACCESS);
        assertArrayEquals(first.payload(), content(0, 1024));
        assertArrayEquals(before, content(1024, 3000));
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), peer.side.events());
        assertEquals(1, peer.side.counter("send_access_err"));
    }

    @Test
    void shouldRefuseRestOfWriteWhenMemoryIsDeregisteredInBetween() {
        connect();
        byte[] before = content(1024, 3000);
        RawPacket first = RawPacket.of(RawPacket.WRITE_FIRST, OUR_PSN).reth(memory.address(), memory.rkey(), 3000).payload(1024);
        peer.send(first);
        peer.runFor(MS);
        memory.close();
        peer.send(RawPacket.of(RawPacket.WRITE_MIDDLE, OUR_PSN + 1).payload(1024));
        peer.expectSyndrome(OUR_PSN + 1, RawPacket.NAK_ACCESS);
        assertArrayEquals(first.payload(), content(0, 1024));
        assertArrayEquals(before, content(1024, 3000));
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), peer.side.events());
    }

    /** Only the first batches of 1 MiB were read when the region is deregistered. */
    @Test
    void shouldRefuseRestOfLongReadWhenMemoryIsDeregisteredInBetween() {
        connect();
        postReceives(1);
        MemoryRegion large = peer.side.memory(1 << 20, SimulatedPair.ALL_REMOTE);
        peer.fabric.observe((nowNs, from, to, packet, offset, length, fate) -> {
            if (fate == Fate.SENT && packet.get(offset) == RawPacket.READ_MIDDLE) {
                large.close();
            }
        });
        peer.send(RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(large.address(), large.rkey(), 1 << 20));
        List<RawPacket> answers = peer.takeAll(MS);
        int dataPackets = answers.size() - 1;
        assertEquals(RawPacket.ACK, answers.getLast().opcode());
        assertEquals(RawPacket.NAK_ACCESS, answers.getLast().syndrome());
        assertEquals(OUR_PSN + dataPackets & 0xffffff, answers.getLast().psn());
        assertEquals(QpState.ERR, peer.side.qp.state());
        long sent = 1024L * dataPackets;
        Failure refused = Failure.of(Reason.RKEY_UNKNOWN, large.rkey(), WrOpcode.RDMA_READ.value(), large.address() + sent,
            (1 << 20) - sent);
        assertEquals(Failure.of(Reason.FLUSHED).after(refused), peer.side.receives().getFirst().explanation());
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), peer.side.events());
    }

    /**
     * The requester has its data and lets its peer deregister the region or invalidate the window; then an old copy of its READ
     * arrives, delayed by the network. That used to be the end of the connection.
     */
    @Test
    void shouldSurviveLateCopyOfReadWhoseMemoryIsGone() {
        connect();
        MemoryRegion other = peer.side.memory(100, SimulatedPair.ALL_REMOTE);
        RawPacket read = RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(other.address(), other.rkey(), 100);
        peer.send(read);
        peer.expect(RawPacket.READ_ONLY, OUR_PSN);
        other.close();
        peer.send(read);
        peer.expectSyndrome(OUR_PSN, RawPacket.NAK_ACCESS);
        assertEquals(QpState.RTS, peer.side.qp.state());
        assertEquals(List.of(), peer.side.events());
        postReceives(1);
        peer.send(send(1));
        peer.expectAck(OUR_PSN + 1);
    }

    // ---- after the end ----

    @Test
    void shouldStillAcknowledgeAfterDestruction() {
        connect();
        postReceives(2);
        peer.send(send(0), send(1));
        peer.expectAck(OUR_PSN + 1);
        peer.side.qp.close();
        peer.send(send(0));
        assertEquals(2, peer.expectAck(OUR_PSN + 1).msn());
        peer.send(send(2));
        peer.expectNothingFor(100 * MS);
        peer.send(read(0, 0, 10));
        peer.expectNothingFor(100 * MS);
        assertEquals(2, peer.side.counter("drop_ghost_request"));
        peer.send(RawPacket.of(RawPacket.UC | RawPacket.SEND_ONLY, OUR_PSN).payload(10));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_wrong_service"));
        peer.runFor(300 * MS);
        peer.send(send(0));
        peer.expectNothingFor(100 * MS);
        assertEquals(1, peer.side.counter("drop_unknown_qpn"), "half a second later nobody remembers");
    }

    /** The number of destroyed queue pairs that are remembered is bounded. */
    @Test
    void shouldAcknowledgeForTheYoungest1024DestroyedQueuePairs() {
        connect();
        List<QueuePair> all = new ArrayList<>();
        for (int i = 0; i < 1025; i++) {
            QueuePair qp = peer.side.newQp(peer.side.pd);
            SimulatedPair.connect(qp, peer.gid(), RawPeer.QPN, setup, setup.accessA, RawPeer.THEIR_PSN, OUR_PSN);
            all.add(qp);
            peer.send(write(0, 0, 0).destQpn(qp.qpNum()));
            peer.expectAck(OUR_PSN);
        }
        all.forEach(QueuePair::close);
        peer.send(write(0, 0, 0).destQpn(all.getFirst().qpNum()));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_unknown_qpn"));
        peer.send(write(0, 0, 0).destQpn(all.get(1).qpNum()));
        peer.expectAck(OUR_PSN);
        peer.send(write(0, 0, 0).destQpn(all.getLast().qpNum()));
        peer.expectAck(OUR_PSN);
        assertEquals(2, peer.side.counter("ghost_acks"));
    }

    /** A server with short connections would need the memory of all that ended within half a second. */
    @Test
    void shouldKeepNoQueuesOfDestroyedQueuePairsThatAreRemembered() {
        connect();
        int[] number = new int[1];
        WeakReference<QueuePair> destroyed = destroyedAfterAWrite(number);
        System.gc();
        assertNull(destroyed.get());
        peer.send(write(0, 0, 0).destQpn(number[0]));
        peer.expectAck(OUR_PSN);
        assertEquals(1, peer.side.counter("ghost_acks"));
    }

    private WeakReference<QueuePair> destroyedAfterAWrite(int[] number) {
        QueuePair qp = peer.side.newQp(peer.side.pd);
        number[0] = qp.qpNum();
        SimulatedPair.connect(qp, peer.gid(), RawPeer.QPN, setup, setup.accessA, RawPeer.THEIR_PSN, OUR_PSN);
        peer.send(write(0, 0, 0).destQpn(qp.qpNum()));
        peer.expectAck(OUR_PSN);
        qp.close();
        return new WeakReference<>(qp);
    }

    @Test
    void shouldNotAcknowledgeReadAfterDestruction() {
        connect();
        postReceives(2);
        peer.send(send(0), read(1, 0, 10), send(2));
        peer.takeAll(MS);
        peer.side.qp.close();
        peer.send(send(0));
        peer.expectAck(OUR_PSN);
        peer.send(send(2));
        peer.expectAck(OUR_PSN + 2);
    }

    /**
     * Destroying sends the responses that are owed, and finds that there is no memory for the rest of the READ. That used to flush the
     * receives, after a caller might have thought that nothing more can complete.
     */
    @Test
    void shouldCompleteNothingMoreWhenDestroyedInTheMidstOfAReadWhoseMemoryIsGone() {
        connect();
        postReceives(1);
        MemoryRegion large = peer.side.memory(1 << 20, SimulatedPair.ALL_REMOTE);
        boolean[] begun = new boolean[1];
        peer.fabric.observe((nowNs, from, to, packet, offset, length, fate) -> begun[0] |= packet.get(offset) == RawPacket.READ_MIDDLE);
        peer.simulation.add(new BetweenTurns(() -> {
            if (begun[0]) {
                large.close();
                peer.side.qp.close();
            }
        }));
        peer.send(RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(large.address(), large.rkey(), 1 << 20));
        assertEquals(RawPacket.NAK_ACCESS, peer.takeAll(MS).getLast().syndrome());
        assertTrue(begun[0]);
        assertEquals(List.of(), receives());
        assertEquals(List.of(), peer.side.events());
    }

    /** Runs an action of the application while its device is working. */
    private record BetweenTurns(Runnable deed) implements DeviceWork {
        @Override
        public int doWork(long nowNs) {
            deed.run();
            return 0;
        }

        @Override
        public long deadlineNs() {
            return Long.MAX_VALUE;
        }

        @Override
        public void await(long timeoutNs) {
        }

        @Override
        public void wakeup() {
        }
    }

    // ---- completions and events ----

    @Test
    void shouldRaiseCommEstOnFirstRequestInRtr() {
        peer = new RawPeer(setup, false);
        memory = peer.side.memory(4096, SimulatedPair.ALL_REMOTE);
        peer.side.qp.modify(SimulatedPair.init(setup, setup.accessA));
        postReceives(2);
        peer.side.qp.modify(SimulatedPair.rtr(peer.gid(), RawPeer.QPN, setup, OUR_PSN));
        assertEquals(List.of(), peer.side.events());
        peer.send(send(0), send(1));
        peer.expectAck(OUR_PSN + 1);
        assertEquals(List.of(AsyncEventType.COMM_EST), peer.side.events());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), receives());
        peer.side.qp.modify(SimulatedPair.rts(setup, RawPeer.THEIR_PSN));
        assertEquals(List.of(), peer.side.events());
    }

    @Test
    void shouldGoToErrWhenReceiveCompletionsOverrun() {
        setup.cqe = 2;
        connect();
        postReceives(4);
        peer.send(send(0), send(1));
        peer.expectAck(OUR_PSN + 1);
        assertEquals(List.of(), peer.side.events());
        peer.send(send(2));
        peer.runFor(MS);
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of(AsyncEventType.CQ_ERR), peer.side.events());
        assertEquals(2, receives().size());
    }

    @Test
    void shouldRaiseSolicitedCompletionEventOnlyWhenAsked() {
        peer = new RawPeer(setup);
        memory = peer.side.memory(4096, SimulatedPair.ALL_REMOTE);
        CompletionChannel channel = peer.side.context.createCompletionChannel();
        CompletionQueue cq = peer.side.context.createCq(16, null, channel, 0);
        QueuePair qp = peer.side.pd.createQp(new QpInitAttributes(QpType.RC, cq, cq, null, new QpCapabilities(4, 4, 1, 1, 0), false));
        qp.modify(SimulatedPair.init(setup, setup.accessA));
        qp.modify(SimulatedPair.rtr(peer.gid(), RawPeer.QPN, setup, OUR_PSN));
        for (int i = 0; i < 4; i++) {
            qp.postReceive(recv.begin(i).element(memory, 0, 100));
        }
        cq.requestNotifySolicited();
        peer.send(send(0).destQpn(qp.qpNum()));
        peer.takeAll(MS);
        assertNull(channel.getEvent(0));
        peer.send(send(1).destQpn(qp.qpNum()).solicited());
        peer.takeAll(MS);
        assertSame(cq, channel.getEvent(0));
        peer.send(send(2).destQpn(qp.qpNum()).solicited());
        peer.takeAll(MS);
        assertNull(channel.getEvent(0), "one event for one arming");
        cq.requestNotify();
        peer.send(send(3).destQpn(qp.qpNum()));
        peer.takeAll(MS);
        assertSame(cq, channel.getEvent(0));
        cq.ackEvents(2);
    }

    /** IBA annex A17: a CNP is no request. Its PSN is 0, which used to count as a gap, a repetition, or a bad request. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, -1})
    void shouldIgnoreCongestionNotification(int expectedPsn) {
        peer = new RawPeer(setup, false);
        SimulatedPair.connect(peer.side, peer.gid(), RawPeer.QPN, setup, setup.accessA, 5, expectedPsn & 0xffffff);
        peer.send(RawPacket.of(0x81, 0).payload(16));
        peer.expectNothingFor(1000 * MS);
        assertEquals(QpState.RTS, peer.side.qp.state());
        assertEquals(1, peer.side.counter("rp_cnp_ignored"));
        assertEquals(0, peer.side.counter("out_of_seq_request"));
    }

    @Test
    void shouldScatterOverElementsAndLeaveTheRest() {
        connect();
        byte[] before = content(0, 100_000);
        peer.side.qp.postReceive(recv.begin(1).element(memory, 10, 3).element(memory, 100, 0).element(memory, 200, 1030)
            .element(memory, 5000, 9));
        RawPacket first = RawPacket.of(RawPacket.SEND_FIRST, OUR_PSN).payload(1024);
        RawPacket last = RawPacket.of(RawPacket.SEND_LAST, OUR_PSN + 1).payload(11).ackRequest();
        peer.send(first, last);
        peer.expectAck(OUR_PSN + 1);
        byte[] data = Arrays.copyOf(first.payload(), 1035);
        System.arraycopy(last.payload(), 0, data, 1024, 11);
        System.arraycopy(data, 0, before, 10, 3);
        System.arraycopy(data, 3, before, 200, 1030);
        System.arraycopy(data, 1033, before, 5000, 2);
        assertArrayEquals(before, content(0, 100_000));
    }
}
