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
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.link.sim.Fate;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** The device as responder, with a peer written by hand: each request is executed once and answered. PSNs wrap in most tests. */
class ResponderScriptTest {

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final ReceiveRequest recv = new ReceiveRequest();
    private RawPeer peer;
    private MemoryRegion memory;

    private void connect() {
        peer = new RawPeer(setup);
        memory = peer.side.memory(100_000, SimulatedPair.ALL_REMOTE);
        for (int i = 0; i < 100_000; i++) {
            memory.memory().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 13 + (i >> 8)));
        }
    }

    private void postReceives(int count) {
        for (int i = 0; i < count; i++) {
            peer.side.qp.postReceive(recv.begin(i).element(memory, 0, 4096));
        }
    }

    private RawPacket send(int psn) {
        return RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN + psn).payload(10).ackRequest();
    }

    private RawPacket write(int psn, int at, int length) {
        return RawPacket.of(RawPacket.WRITE_ONLY, OUR_PSN + psn).reth(memory.address() + at, memory.rkey(), length).payload(length)
            .ackRequest();
    }

    private RawPacket read(int psn, int at, int length) {
        return RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN + psn).reth(memory.address() + at, memory.rkey(), length).ackRequest();
    }

    private RawPacket add(int psn, long value) {
        return RawPacket.of(RawPacket.FETCH_ADD, OUR_PSN + psn).atomic(memory.address(), memory.rkey(), value, 0).ackRequest();
    }

    private byte[] content(int at, int length) {
        return memory.memory().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private List<String> receives() {
        return peer.side.receives().stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }

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

    // ---- repetitions ----

    @Test
    void shouldAcknowledgeRepeatedSendAndWriteWithoutExecutingThemAgain() {
        connect();
        postReceives(3);
        peer.send(send(0), write(1, 5000, 10));
        peer.expectAck(OUR_PSN + 1);
        memory.memory().set(ValueLayout.JAVA_BYTE, 5000, (byte) 0x77);
        peer.send(RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(10));
        assertEquals(2, peer.expectAck(OUR_PSN + 1).msn());
        peer.send(write(1, 5000, 10));
        peer.expectAck(OUR_PSN + 1);
        assertEquals(List.of("0 SUCCESS"), receives());
        assertEquals(0x77, memory.memory().get(ValueLayout.JAVA_BYTE, 5000));
    }

    /**
     * A plain ACK must never cover a READ or atomic whose response may be lost: kernel rxe would complete it with SUCCESS and an untouched
     * buffer (seen from kernel rxe 6.1). The repeated SEND before it used to be acknowledged up to ePSN - 1.
     */
    @Test
    void shouldNotAcknowledgeReadOrAtomicWhenEarlierSendIsRepeated() {
        connect();
        postReceives(3);
        peer.send(send(0), read(1, 0, 10));
        peer.expectAck(OUR_PSN);
        peer.expect(RawPacket.READ_ONLY, OUR_PSN + 1);
        peer.send(send(0));
        peer.expectAck(OUR_PSN);
        peer.send(send(2), add(3, 1), send(4));
        peer.expectAck(OUR_PSN + 2);
        peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + 3);
        peer.expectAck(OUR_PSN + 4);
        peer.send(send(2));
        peer.expectAck(OUR_PSN + 2);
        peer.send(send(4));
        peer.expectAck(OUR_PSN + 4);
        assertEquals(3, receives().size());
    }

    @Test
    void shouldRepeatReadWhollyAndInParts() {
        connect();
        peer.send(read(0, 5, 2500));
        peer.takeAll(MS);
        memory.memory().set(ValueLayout.JAVA_BYTE, 5, (byte) 0x42);
        peer.send(read(0, 5, 2500));
        assertEquals(0x42, peer.expect(RawPacket.READ_FIRST, OUR_PSN).payload()[0], "read again, not remembered");
        peer.expect(RawPacket.READ_MIDDLE, OUR_PSN + 1);
        peer.expect(RawPacket.READ_LAST, OUR_PSN + 2);
        peer.send(read(1, 5 + 1024, 1476));
        assertArrayEquals(content(1029, 1024), peer.expect(RawPacket.READ_FIRST, OUR_PSN + 1).payload());
        assertEquals(1, peer.expect(RawPacket.READ_LAST, OUR_PSN + 2).msn());
        // Going back before an earlier repeated request, and requesting less than the rest.
        peer.send(read(0, 5, 2048));
        peer.expect(RawPacket.READ_FIRST, OUR_PSN);
        peer.expect(RawPacket.READ_LAST, OUR_PSN + 1);
        peer.expectNothingFor(1000 * MS);
    }

    /** A READ that is repeated while its response waits to be sent is answered once, from the repeated PSN on. */
    @Test
    void shouldAnswerReadOnceThatIsAskedForAgainBeforeItIsAnswered() {
        connect();
        peer.send(read(0, 5, 5000), read(0, 5, 5000), read(2, 5 + 2048, 2952));
        peer.expect(RawPacket.READ_FIRST, OUR_PSN + 2);
        peer.expect(RawPacket.READ_MIDDLE, OUR_PSN + 3);
        peer.expect(RawPacket.READ_LAST, OUR_PSN + 4);
        peer.expectNothingFor(1000 * MS);
    }

    /** The acknowledgement of the repeated SEND must not be queued after the atomic, or the repeated atomic finds no room at depth one. */
    @Test
    void shouldKeepAnswersInOrderWhenAllIsRepeatedAtOnce() {
        setup.destRdAtomic = 1;
        connect();
        postReceives(1);
        peer.send(send(0), add(1, 1), send(0), add(1, 1), add(2, 1));
        // The requester repeats +2, so it has the responses before it: they need not be sent again.
        long original = peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + 2).original();
        peer.expectNothingFor(1000 * MS);
        assertEquals(QpState.RTS, peer.side.qp.state());
        assertEquals(original + 1, memory.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void shouldNotRepeatReadThatNeverWas() {
        connect();
        peer.send(read(0, 5, 2500));
        peer.takeAll(MS);
        RawPacket otherKey = RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(memory.address() + 5, memory.rkey() ^ 1, 2500);
        peer.send(otherKey, read(0, 6, 2500), read(0, 5, 2501), read(1, 5, 1476), read(2, 5 + 2048, 453));
        peer.expectNothingFor(1000 * MS);
        assertEquals(5, peer.side.counter("drop_unknown_duplicate"));
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    @Test
    void shouldReplayAtomicFromResource() {
        connect();
        memory.memory().set(ValueLayout.JAVA_LONG, 0, 100);
        peer.send(add(0, 7));
        assertEquals(100, peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN).original());
        for (int i = 0; i < 3; i++) {
            peer.send(add(0, 7));
            RawPacket again = peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN);
            assertEquals(List.of(100L, 1L), List.of(again.original(), (long) again.msn()));
        }
        assertEquals(107, memory.memory().get(ValueLayout.JAVA_LONG, 0), "executed once");
    }

    @Test
    void shouldForgetOldestAtomicBeyondTheDepth() {
        setup.destRdAtomic = 2;
        connect();
        memory.memory().set(ValueLayout.JAVA_LONG, 0, 0);
        for (int i = 0; i < 3; i++) {
            peer.send(add(i, 1));
            peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + i);
        }
        peer.send(add(0, 1));
        peer.expectNothingFor(1000 * MS);
        peer.send(add(1, 1));
        assertEquals(1, peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + 1).original());
        assertEquals(3, memory.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    /** Psn.compare: exactly 2^23 ahead counts as the past, one less as the future. */
    @Test
    void shouldTellPastFromFutureAtHalfTheCircle() {
        connect();
        postReceives(1);
        peer.send(send(0));
        peer.expectAck(OUR_PSN);
        peer.send(send(1 + (1 << 23)));
        peer.expectAck(OUR_PSN);
        peer.send(send((1 << 23)));
        peer.expectSyndrome(OUR_PSN + 1, RawPacket.NAK_SEQUENCE);
    }

    // ---- memory deregistered while in use ----

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
