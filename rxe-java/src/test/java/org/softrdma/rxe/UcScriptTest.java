// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Unreliable connections, packet by packet: sending, and messages that lose packets or break rules. IBA vol 1 §9.8.2. */
class UcScriptTest {
    private static final int MTU = 1024;
    private static final int RECEIVE_BYTES = 4096;
    private static final int FIRST = RawPacket.UC | RawPacket.SEND_FIRST;
    private static final int MIDDLE = RawPacket.UC | RawPacket.SEND_MIDDLE;
    private static final int LAST = RawPacket.UC | RawPacket.SEND_LAST;
    private static final int ONLY = RawPacket.UC | RawPacket.SEND_ONLY;
    private static final int W_FIRST = RawPacket.UC | RawPacket.WRITE_FIRST;
    private static final int W_MIDDLE = RawPacket.UC | RawPacket.WRITE_MIDDLE;
    private static final int W_LAST = RawPacket.UC | RawPacket.WRITE_LAST;
    private static final int W_LAST_IMM = RawPacket.UC | RawPacket.WRITE_LAST_IMM;
    private static final int W_ONLY = RawPacket.UC | RawPacket.WRITE_ONLY;
    private static final int W_ONLY_IMM = RawPacket.UC | RawPacket.WRITE_ONLY_IMM;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();
    private RawPeer peer;
    private MemoryRegion memory;
    private MemoryRegion target;

    private void open(int receives) {
        setup.type = QpType.UC;
        peer = new RawPeer(setup);
        memory = peer.side.memory(16L * RECEIVE_BYTES, SimulatedPair.ALL_REMOTE);
        target = peer.side.memory(RECEIVE_BYTES, SimulatedPair.ALL_REMOTE);
        for (int i = 0; i < receives; i++) {
            peer.side.qp.postReceive(recv.begin(i).element(memory, (long) i * RECEIVE_BYTES, RECEIVE_BYTES));
        }
    }

    /** A packet to the device; full, or of 100 bytes if it ends its message. */
    private RawPacket packet(int opcode, int psn) {
        RawPacket packet = RawPacket.of(opcode, OUR_PSN + psn);
        switch (opcode) {
            case W_FIRST -> packet.reth(target.address(), target.rkey(), MTU + 100);
            case W_ONLY, W_ONLY_IMM -> packet.reth(target.address(), target.rkey(), 100);
            default -> { }
        }
        switch (opcode) {
            case W_LAST_IMM, W_ONLY_IMM -> packet.immediate(0xcafe0000 + psn);
            default -> { }
        }
        return packet.payload(opcode == FIRST || opcode == MIDDLE || opcode == W_FIRST || opcode == W_MIDDLE ? MTU : 100);
    }

    private List<String> receives() {
        return peer.side.receives().stream().map(wc -> wc.wrId() + " " + wc.status() + (wc.isSuccess() ? " " + wc.byteLength() : ""))
            .toList();
    }

    private byte[] received(int receive, int length) {
        return memory.memory().asSlice((long) receive * RECEIVE_BYTES, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private static byte[] join(RawPacket... packets) {
        byte[] all = {};
        for (RawPacket packet : packets) {
            int at = all.length;
            all = Arrays.copyOf(all, at + packet.payload().length);
            System.arraycopy(packet.payload(), 0, all, at, packet.payload().length);
        }
        return all;
    }

    // ---------------------------------------------------------------- sending

    @Test
    void shouldCutMessagesIntoPacketsWithoutAskingForAcknowledgements() {
        open(0);
        byte[] data = new byte[2500];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (i * 13);
        }
        MemoryRegion from = peer.side.memory(data);
        peer.side.qp.postSend(wr.send().wrId(1).element(from, 0, 1000).element(from, 1000, 1500).signaled().solicited());
        peer.side.qp.postSend(wr.writeWithImmediate(0x1234_5678_9abcL, 0x7788, 0xfeed).wrId(2).element(from, 0, 1025).signaled());
        peer.side.qp.postSend(wr.sendWithImmediate(0xbeef).wrId(3).element(from, 0, 3));
        peer.side.qp.postSend(wr.write(0x42, 7).wrId(4).signaled().solicited());

        RawPacket first = peer.expect(FIRST, THEIR_PSN);
        RawPacket middle = peer.expect(MIDDLE, THEIR_PSN + 1);
        RawPacket last = peer.expect(LAST, THEIR_PSN + 2);
        assertArrayEquals(data, join(first, middle, last));
        assertEquals(List.of(false, false, true), Stream.of(first, middle, last).map(RawPacket::isSolicited).toList());
        RawPacket writeFirst = peer.expect(W_FIRST, THEIR_PSN + 3);
        assertEquals(List.of(0x1234_5678_9abcL, 0x7788L, 1025L),
            List.of(writeFirst.va(), (long) writeFirst.rkey(), writeFirst.length()));
        RawPacket writeLast = peer.expect(W_LAST_IMM, THEIR_PSN + 4);
        assertEquals(0xfeed, writeLast.immediate());
        assertArrayEquals(Arrays.copyOf(data, 1025), join(writeFirst, writeLast));
        RawPacket immediate = peer.expect(RawPacket.UC | RawPacket.SEND_ONLY_IMM, THEIR_PSN + 5);
        assertEquals(0xbeef, immediate.immediate());
        RawPacket empty = peer.expect(W_ONLY, THEIR_PSN + 6);
        assertEquals(0, empty.payload().length);
        assertFalse(empty.isSolicited(), "a WRITE without immediate data raises no event");
        for (RawPacket each : List.of(first, middle, last, writeFirst, writeLast, immediate, empty)) {
            assertFalse(each.asksForAck(), each.toString());
            assertEquals(RawPeer.QPN, each.destQpn());
        }
        peer.expectNothingFor(10_000 * MS);
        assertEquals(List.of("1 SUCCESS SEND", "2 SUCCESS RDMA_WRITE", "4 SUCCESS RDMA_WRITE"),
            peer.side.sends().stream().map(wc -> wc.wrId() + " " + wc.status() + " " + wc.opcode()).toList());
        assertEquals((THEIR_PSN + 7) & 0xffffff, peer.side.qp.query().sqPsn());
    }

    @Test
    void shouldCompleteASendBeforeAnybodyCouldAnswer() {
        open(0);
        long beforeNs = peer.fabric.nowNs();
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 3000).signaled());
        peer.simulation.runUntil(() -> !peer.side.sends().isEmpty(), beforeNs + MS);
        assertEquals(beforeNs, peer.fabric.nowNs());
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD", "SEND_WITH_INV"})
    void shouldRefuseOperationsOfReliableConnections(org.softrdma.verbs.WrOpcode opcode) {
        open(0);
        VerbsException refused = assertThrows(VerbsException.class, () -> peer.side.qp.postSend(wr.begin(opcode)));
        assertEquals(Errno.EINVAL, refused.errno());
    }

    @Test
    void shouldFlushSendsAfterAFailedOneUntilBroughtBackToRts() {
        open(2);
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 8).signaled());
        peer.side.qp.postSend(wr.send().wrId(2).element(memory.address(), 8, memory.lkey() ^ 1).signaled());
        peer.side.qp.postSend(wr.send().wrId(3).element(memory, 0, 8));
        peer.expect(ONLY, THEIR_PSN);
        peer.expectNothingFor(MS);
        assertEquals(QpState.SQE, peer.side.qp.state());
        peer.side.qp.postSend(wr.send().wrId(4).element(memory, 0, 8).signaled());
        peer.send(packet(ONLY, 0));
        peer.expectNothingFor(MS);
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR),
            peer.side.sendStatuses());
        assertEquals(List.of("0 SUCCESS 100"), receives(), "receiving goes on");
        assertThrows(VerbsException.class, () -> peer.side.qp.modify(new QpAttributes().state(QpState.RTS).curState(QpState.RTS)));
        assertEquals(QpState.SQE, peer.side.qp.state(), "who does not know of the failure must not undo it");
        peer.side.qp.modify(new QpAttributes().state(QpState.RTS).curState(QpState.SQE));
        peer.side.qp.postSend(wr.send().wrId(5).element(memory, 0, 8).signaled());
        peer.expect(ONLY, THEIR_PSN + 1);
        assertEquals(WcStatus.SUCCESS, peer.side.sendStatuses().getLast());
    }

    @Test
    void shouldBreakOffAMessageWhoseMemoryGoesAway() {
        open(0);
        MemoryRegion gone = peer.side.memory(8 << 20, 0);
        peer.fabric.observe((nowNs, from, to, bytes, offset, length, fate) -> gone.close());
        peer.side.qp.postSend(wr.send().wrId(1).element(gone, 0, 8 << 20).signaled());
        peer.takeAll(100 * MS);
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), peer.side.sendStatuses());
        peer.side.qp.modify(new QpAttributes().state(QpState.RTS));
        peer.side.qp.postSend(wr.send().wrId(2).element(memory, 0, 8).signaled());
        assertEquals(ONLY, peer.expect().opcode(), "not the rest of the old message");
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
            mistake(WcStatus.LOC_LEN_ERR, "more than 2^31 bytes", t ->
                t.wr.write(0, 0).element(t.memory.address(), 0x80000000, t.memory.lkey()).element(t.memory, 0, 1)),
            mistake(WcStatus.LOC_PROT_ERR, "2^31 bytes, which a message may have but the region has not", t ->
                t.wr.write(0, 0).element(t.memory.address(), 0x80000000, t.memory.lkey())),
            mistake(WcStatus.LOC_PROT_ERR, "an unknown key for its second packet", t ->
                t.wr.send().element(t.memory, 0, MTU).element(t.memory.address(), MTU, t.memory.lkey() ^ 1)),
            mistake(WcStatus.MW_BIND_ERR, "a bind of what is no window", t ->
                t.wr.bindWindow(t.memory.rkey(), t.memory, t.memory.address(), 8, AccessFlags.REMOTE_READ)));
    }

    private static Arguments mistake(WcStatus status, String name, Function<UcScriptTest, SendRequest> request) {
        return Arguments.of(status, Named.of(name, request));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("mistakes")
    void shouldSendNothingOfARequestThatIsWrong(WcStatus status, Function<UcScriptTest, SendRequest> request) {
        open(0);
        peer.side.qp.postSend(request.apply(this).wrId(1).signaled());
        peer.expectNothingFor(MS);
        assertEquals(List.of(status), peer.side.sendStatuses());
        assertEquals(QpState.SQE, peer.side.qp.state());
    }

    @Test
    void shouldDrainWhatWasBegun() {
        open(0);
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 8).signaled());
        peer.expect(ONLY, THEIR_PSN);
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD).sqdAsyncNotify(true));
        peer.side.qp.postSend(wr.send().wrId(2).element(memory, 0, 8).signaled());
        peer.expectNothingFor(MS);
        assertEquals(List.of(AsyncEventType.SQ_DRAINED), peer.side.events());
        peer.side.qp.modify(new QpAttributes().state(QpState.RTS));
        peer.expect(ONLY, THEIR_PSN + 1);
    }

    @Test
    void shouldBindAndInvalidateWindowsInOrderWithSends() {
        open(1);
        MemoryWindow window = peer.side.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        int key = MemoryWindow.nextRkey(window.rkey());
        peer.side.qp.postSend(wr.bindWindow(key, target, target.address() + 8, 100, AccessFlags.REMOTE_WRITE).wrId(1).signaled());
        peer.side.qp.postSend(wr.send().wrId(2).element(memory, 0, 8).signaled());
        peer.expect(ONLY, THEIR_PSN);
        RawPacket write = RawPacket.of(W_ONLY, OUR_PSN).reth(target.address() + 8, key, 100).payload(100);
        peer.send(write);
        peer.expectNothingFor(MS);
        assertArrayEquals(write.payload(), target.memory().asSlice(8, 100).toArray(ValueLayout.JAVA_BYTE));
        peer.side.qp.postSend(wr.localInvalidate(key).wrId(3).signaled());
        peer.expectNothingFor(MS);
        assertEquals(List.of(WcOpcode.BIND_MW, WcOpcode.SEND, WcOpcode.LOCAL_INV),
            peer.side.sends().stream().map(WorkCompletion::opcode).toList());
        peer.send(RawPacket.of(W_ONLY, OUR_PSN + 1).reth(target.address() + 8, key, 4).payload(4));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_access"));
    }

    // ---------------------------------------------------------------- whole messages

    @Test
    void shouldDeliverSendsAndWrites() {
        open(3);
        RawPacket[] send = {packet(FIRST, 0), packet(MIDDLE, 1), packet(LAST, 2)};
        RawPacket[] write = {packet(W_FIRST, 3), packet(W_LAST, 4)};
        peer.send(send);
        peer.send(write);
        peer.send(packet(W_FIRST, 5), packet(W_LAST_IMM, 6), packet(RawPacket.UC | RawPacket.SEND_ONLY_IMM, 7).immediate(0x0ff1ce));
        peer.expectNothingFor(MS);
        assertArrayEquals(join(send), received(0, 2 * MTU + 100));
        assertEquals(List.of("0 SUCCESS 2148", "1 SUCCESS 1124", "2 SUCCESS 100"), receives());
        WorkCompletion ofWrite = peer.side.receives().get(1);
        assertEquals(List.of(WcOpcode.RECV_RDMA_WITH_IMM, 0xcafe0006, WcFlags.GRH | WcFlags.WITH_IMM, 0),
            List.of(ofWrite.opcode(), ofWrite.immediate(), ofWrite.flags(), ofWrite.sourceQp()));
        assertEquals(List.of(WcOpcode.RECV, 0x0ff1ce),
            List.of(peer.side.receives().get(2).opcode(), peer.side.receives().get(2).immediate()));
        assertArrayEquals(join(packet(W_FIRST, 5), packet(W_LAST_IMM, 6)),
            target.memory().asSlice(0, MTU + 100).toArray(ValueLayout.JAVA_BYTE));
        assertEquals((OUR_PSN + 8) & 0xffffff, peer.side.qp.query().rqPsn());
        assertEquals(0, peer.side.counter("lost_messages"));
    }

    @Test
    void shouldRaiseCommEstAndReceiveInRtr() {
        setup.type = QpType.UC;
        peer = new RawPeer(setup, false);
        memory = peer.side.memory(RECEIVE_BYTES, SimulatedPair.ALL_REMOTE);
        peer.side.qp.modify(SimulatedPair.init(setup, 0));
        peer.side.qp.postReceive(recv.begin(0).element(memory, 0, RECEIVE_BYTES));
        peer.send(packet(ONLY, 0));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_qp_state"));
        peer.side.qp.modify(SimulatedPair.rtr(peer.gid(), RawPeer.QPN, setup, OUR_PSN));
        peer.send(packet(ONLY, 0));
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 SUCCESS 100"), receives());
        assertEquals(List.of(AsyncEventType.COMM_EST), peer.side.events());
    }

    // ---------------------------------------------------------------- lost and interrupted messages

    /** Opcode and PSN of each packet, and the receives that complete: all other packets are dropped. */
    static Stream<Arguments> broken() {
        return Stream.of(
            Arguments.of("Last lost", 1, new int[][] {{FIRST, 0}, {ONLY, 2}}, List.of("0 SUCCESS 100")),
            Arguments.of("Middle lost", 1, new int[][] {{FIRST, 0}, {LAST, 2}, {ONLY, 3}}, List.of("0 SUCCESS 100")),
            Arguments.of("First lost", 0, new int[][] {{MIDDLE, 1}, {LAST, 2}, {ONLY, 3}}, List.of("0 SUCCESS 100")),
            Arguments.of("First and gap, then the rest", 1, new int[][] {{FIRST, 0}, {MIDDLE, 2}, {LAST, 3}, {FIRST, 4}, {LAST, 5}},
                List.of("0 SUCCESS 1124")),
            Arguments.of("whole messages lost", 0, new int[][] {{ONLY, 0}, {ONLY, 7}, {FIRST, 9}, {LAST, 10}},
                List.of("0 SUCCESS 100", "1 SUCCESS 100", "2 SUCCESS 1124")),
            Arguments.of("SEND interrupted by a SEND", 1, new int[][] {{FIRST, 0}, {FIRST, 1}, {LAST, 2}}, List.of("0 SUCCESS 1124")),
            Arguments.of("SEND interrupted by a WRITE", 1, new int[][] {{FIRST, 0}, {W_ONLY, 1}, {LAST, 2}, {ONLY, 3}},
                List.of("0 SUCCESS 100")),
            Arguments.of("SEND interrupted by a WRITE with immediate", 1, new int[][] {{FIRST, 0}, {W_ONLY_IMM, 1}, {ONLY, 2}},
                List.of("0 SUCCESS 100", "1 SUCCESS 100")),
            Arguments.of("WRITE loses its Last", 1, new int[][] {{W_FIRST, 0}, {W_FIRST, 2}, {W_LAST_IMM, 3}, {ONLY, 4}},
                List.of("0 SUCCESS 1124", "1 SUCCESS 100")),
            Arguments.of("WRITE with immediate loses its First", 0, new int[][] {{W_LAST_IMM, 1}, {ONLY, 2}}, List.of("0 SUCCESS 100")),
            Arguments.of("WRITE goes on as a SEND", 1, new int[][] {{W_FIRST, 0}, {LAST, 1}, {W_LAST_IMM, 2}, {ONLY, 3}},
                List.of("0 SUCCESS 100")),
            Arguments.of("SEND goes on as a WRITE", 1, new int[][] {{FIRST, 0}, {W_LAST_IMM, 1}, {LAST, 2}, {ONLY, 3}},
                List.of("0 SUCCESS 100")),
            Arguments.of("Middle comes twice", 1, new int[][] {{FIRST, 0}, {MIDDLE, 1}, {MIDDLE, 1}, {LAST, 2}, {ONLY, 3}},
                List.of("0 SUCCESS 100")),
            Arguments.of("First comes twice", 1, new int[][] {{FIRST, 0}, {FIRST, 0}, {LAST, 1}}, List.of("0 SUCCESS 1124")),
            Arguments.of("Middle overtakes", 1, new int[][] {{FIRST, 0}, {MIDDLE, 2}, {MIDDLE, 1}, {LAST, 3}, {ONLY, 4}},
                List.of("0 SUCCESS 100")),
            Arguments.of("PSNs start anew elsewhere", 0, new int[][] {{ONLY, 0}, {ONLY, -1000}, {FIRST, 0x700000}, {LAST, 0x700001}},
                List.of("0 SUCCESS 100", "1 SUCCESS 100", "2 SUCCESS 1124")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("broken")
    void shouldDropTheRestOfABrokenMessageAndReuseItsReceive(String name, int lost, int[][] packets, List<String> delivered) {
        open(4);
        RawPacket[] all = Arrays.stream(packets).map(each -> packet(each[0], each[1])).toArray(RawPacket[]::new);
        peer.send(all);
        peer.expectNothingFor(MS);
        assertEquals(delivered, receives());
        assertEquals(lost, peer.side.counter("lost_messages"), "messages given up");
        assertEquals(QpState.RTS, peer.side.qp.state());
        RawPacket[] next = {packet(FIRST, 0x123), packet(LAST, 0x124)};
        peer.send(next);
        peer.expectNothingFor(MS);
        int receive = delivered.size();
        assertEquals(receive + " SUCCESS 1124", receives().getLast());
        assertArrayEquals(join(next), received(receive, MTU + 100), "nothing of the broken one is left");
    }

    @Test
    void shouldCountGapsBetweenMessages() {
        open(3);
        peer.send(packet(ONLY, 0), packet(ONLY, 1));
        peer.expectNothingFor(MS);
        assertEquals(0, peer.side.counter("out_of_seq_request"));
        peer.send(packet(ONLY, 3));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("out_of_seq_request"));
        assertEquals(3, receives().size());
    }

    /** The rest of a message of the old connection does not continue it on the new one. */
    @Test
    void shouldForgetTheOpenMessageInReset() {
        open(1);
        peer.send(packet(FIRST, 0));
        peer.runFor(MS);
        peer.side.qp.modify(new QpAttributes().state(QpState.RESET));
        SimulatedPair.connect(peer.side, peer.gid(), RawPeer.QPN, setup, setup.accessA, THEIR_PSN, OUR_PSN + 1 & 0xffffff);
        peer.send(packet(LAST, 1));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_out_of_sequence"));
        assertEquals(List.of(), receives());
    }

    @Test
    void shouldDropPacketsInError() {
        open(1);
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        peer.send(packet(ONLY, 0));
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 WR_FLUSH_ERR"), receives());
        assertEquals(1, peer.side.counter("drop_qp_state"));
    }

    @Test
    void shouldDropMessagesWithoutReceive() {
        open(0);
        peer.send(packet(FIRST, 0), packet(LAST, 1), packet(ONLY, 2));
        RawPacket[] write = {packet(W_FIRST, 3), packet(W_LAST_IMM, 4)};
        peer.send(write);
        peer.expectNothingFor(MS);
        assertEquals(3, peer.side.counter("drop_no_receive"));
        assertEquals(1, peer.side.counter("drop_out_of_sequence"), "the Last of the first one");
        assertArrayEquals(write[0].payload(), target.memory().asSlice(0, MTU).toArray(ValueLayout.JAVA_BYTE), "a WRITE writes as it goes");
        peer.side.qp.postReceive(recv.begin(7).element(memory, 0, RECEIVE_BYTES));
        peer.send(packet(W_LAST_IMM, 5), packet(ONLY, 6));
        peer.expectNothingFor(MS);
        assertEquals(List.of("7 SUCCESS 100"), receives());
    }

    // ---------------------------------------------------------------- violations

    static Stream<Arguments> offences() {
        return Stream.of(
            Arguments.of("SEND First not full", "drop_bad_request", (Offence) t -> List.of(t.packet(FIRST, 0).payload(MTU - 1),
                t.packet(LAST, 1))),
            Arguments.of("SEND Only beyond the MTU", "drop_bad_request", (Offence) t -> List.of(t.packet(ONLY, 0).payload(MTU + 1))),
            Arguments.of("SEND Last empty", "drop_bad_request", (Offence) t -> List.of(t.packet(FIRST, 0), t.packet(LAST, 1).payload(0))),
            Arguments.of("wrong pad", "drop_bad_request", (Offence) t -> List.of(t.packet(ONLY, 0).payload(8).pad(1))),
            Arguments.of("WRITE shorter than its RETH", "drop_bad_request", (Offence) t -> List.of(
                RawPacket.of(W_ONLY_IMM, OUR_PSN).reth(t.target.address(), t.target.rkey(), 8).immediate(1).payload(7))),
            Arguments.of("WRITE of length 0 with payload", "drop_bad_request", (Offence) t -> List.of(
                RawPacket.of(W_ONLY_IMM, OUR_PSN).reth(0, 0, 0).immediate(1).payload(8))),
            Arguments.of("WRITE of more than 2^31", "drop_bad_request", (Offence) t -> List.of(
                RawPacket.of(W_FIRST, OUR_PSN).reth(t.target.address(), t.target.rkey(), 0x80000001L).payload(MTU))),
            Arguments.of("unknown key", "drop_access", (Offence) t -> List.of(
                RawPacket.of(W_ONLY_IMM, OUR_PSN).reth(t.target.address(), t.target.rkey() + 0x100, 8).immediate(1).payload(8))),
            Arguments.of("wrong key byte", "drop_access", (Offence) t -> List.of(
                RawPacket.of(W_ONLY, OUR_PSN).reth(t.target.address(), t.target.rkey() ^ 1, 8).payload(8))),
            Arguments.of("one byte behind the region", "drop_access", (Offence) t -> List.of(
                RawPacket.of(W_ONLY, OUR_PSN).reth(t.target.address() + RECEIVE_BYTES - 7, t.target.rkey(), 8).payload(8))),
            Arguments.of("First whose message ends behind the region", "drop_access", (Offence) t -> List.of(
                RawPacket.of(W_FIRST, OUR_PSN).reth(t.target.address(), t.target.rkey(), RECEIVE_BYTES + 1).payload(MTU))),
            Arguments.of("region for reading only", "drop_access", (Offence) t -> {
                MemoryRegion closed = t.peer.side.memory(8, AccessFlags.REMOTE_READ);
                return List.of(RawPacket.of(W_ONLY, OUR_PSN).reth(closed.address(), closed.rkey(), 8).payload(8));
            }),
            Arguments.of("region of another protection domain", "drop_access", (Offence) t -> {
                MemoryRegion foreign = t.peer.side.context.allocatePd().register(
                    java.lang.foreign.Arena.ofAuto().allocate(8, 8), SimulatedPair.ALL_REMOTE);
                return List.of(RawPacket.of(W_ONLY, OUR_PSN).reth(foreign.address(), foreign.rkey(), 8).payload(8));
            }),
            Arguments.of("RC SEND", "drop_wrong_service", (Offence) t -> List.of(
                RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8).ackRequest())),
            Arguments.of("RC acknowledgement", "drop_wrong_service", (Offence) t -> List.of(RawPacket.ack(THEIR_PSN))),
            Arguments.of("UD SEND", "drop_wrong_service", (Offence) t -> List.of(RawPacket.of(RawPacket.UD_SEND, OUR_PSN).deth(0, 1))),
            Arguments.of("no UC opcode (0x2c)", "drop_wrong_service", (Offence) t -> List.of(RawPacket.of(0x2c, OUR_PSN).payload(8))),
            Arguments.of("congestion notification", "rp_cnp_ignored", (Offence) t -> List.of(RawPacket.of(0x81, 0).payload(16))));
    }

    @FunctionalInterface
    private interface Offence {
        List<RawPacket> packets(UcScriptTest test);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("offences")
    void shouldDropWhatBreaksTheRulesAndGoOn(String name, String counter, Offence offence) {
        open(1);
        byte[] before = target.memory().toArray(ValueLayout.JAVA_BYTE);
        peer.send(offence.packets(this).toArray(RawPacket[]::new));
        peer.expectNothingFor(1000 * MS);
        assertEquals(1, peer.side.counter(counter), counter);
        assertEquals(List.of(), receives());
        assertArrayEquals(before, target.memory().toArray(ValueLayout.JAVA_BYTE));
        assertEquals(QpState.RTS, peer.side.qp.state());
        assertTrue(peer.side.events().stream().allMatch(AsyncEventType.COMM_EST::equals));
        peer.send(packet(ONLY, 9));
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 SUCCESS 100"), receives(), "the next message is fine");
    }

    @Test
    void shouldDropWritesTheQueuePairDoesNotAllow() {
        setup.accessA = AccessFlags.REMOTE_READ;
        open(1);
        peer.send(packet(W_ONLY_IMM, 0), RawPacket.of(W_ONLY, OUR_PSN + 1).reth(0, 0, 0));
        peer.expectNothingFor(MS);
        assertEquals(2, peer.side.counter("drop_access"));
        assertEquals(List.of(), receives());
    }

    @Test
    void shouldDropWhatComesFromAnotherAddress() {
        open(1);
        peer.sendFromElsewhere(packet(ONLY, 0));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_wrong_address"));
        assertEquals(List.of(), receives());
    }

    /** A local error, which must be reported to the application: kernel rxe ends in the same state, with LOC_QP_OP_ERR. */
    @ParameterizedTest
    @ValueSource(ints = {99, MTU, MTU + 99})
    void shouldStopOnAMessageLongerThanItsReceive(int room) {
        open(0);
        peer.side.qp.postReceive(recv.begin(0).element(memory, 0, room));
        peer.side.qp.postReceive(recv.begin(1).element(memory, 0, RECEIVE_BYTES));
        peer.send(room == 99 ? new RawPacket[] {packet(ONLY, 0)} : new RawPacket[] {packet(FIRST, 0), packet(LAST, 1)});
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 LOC_LEN_ERR", "1 WR_FLUSH_ERR"), receives());
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(room == 99 ? 0 : 1, peer.side.counter("lost_messages"), "in their midst");
    }

    @Test
    void shouldStopOnAReceiveWithoutMemory() {
        open(0);
        peer.side.qp.postReceive(recv.begin(0).element(memory.address(), 100, memory.lkey() ^ 1));
        peer.send(packet(ONLY, 0));
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 LOC_PROT_ERR"), receives());
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    @Test
    void shouldGoToErrWhenCompletionsOverrun() {
        setup.cqe = 1;
        open(3);
        List<RawPacket> packets = new ArrayList<>(List.of(packet(ONLY, 0), packet(ONLY, 1)));
        peer.send(packets.toArray(RawPacket[]::new));
        peer.expectNothingFor(MS);
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of(AsyncEventType.CQ_ERR), peer.side.events());
        assertEquals(1, receives().size());
    }

    /** In SQE the queue pair would still receive, and its owner would wait for completions that are lost. IBA vol 1 §10.8.2.2 */
    @Test
    void shouldGoFromSqeToErrWhenItsFailuresOverrun() {
        setup.cqe = 1;
        open(0);
        MemoryRegion gone = peer.side.memory(8, 0);
        wr.send().element(gone, 0, 8).signaled();
        gone.close();
        peer.side.qp.postSend(wr.wrId(1));
        peer.expectNothingFor(MS);
        assertEquals(QpState.SQE, peer.side.qp.state(), "there was room for one");
        peer.side.qp.postSend(wr.wrId(2));
        peer.expectNothingFor(MS);
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of(AsyncEventType.CQ_ERR), peer.side.events());
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), peer.side.sendStatuses());
    }
}
