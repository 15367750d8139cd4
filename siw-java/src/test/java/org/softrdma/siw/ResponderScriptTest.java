// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.siw.qp.PendingResponses;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.wire.iwarp.UlpduCheck;

/** Segments of the peer and their effects as the RFCs specify them: memory, completions, responses and Terminates. */
class ResponderScriptTest {
    private static final String ABCD = "61626364";

    private RawPeer peer;
    private MemoryRegion region;
    private int stag;
    private long to;

    @BeforeEach
    void connect() {
        begin(new SiwPair.Setup());
    }

    private void begin(SiwPair.Setup setup) {
        peer = new RawPeer(setup);
        region = peer.side.memory(4096, SiwPair.ALL_REMOTE);
        stag = region.rkey();
        to = region.address();
    }

    private void postReceive(long wrId, int bytes) {
        peer.side.qp.postReceive(new ReceiveRequest().begin(wrId).element(region, 2048, bytes));
    }

    private String text(long offset, int length) {
        return new String(region.memory().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
    }

    /** Asserts that the connection ended with a Terminate and an event, and that everything was flushed. */
    private void assertTerminated(String terminate, AsyncEventType event) {
        assertEquals(terminate, peer.next());
        assertNull(peer.next());
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertTrue(peer.stream.closed, "closed behind the Terminate");
        assertEquals(List.of(event), peer.side.events());
        assertEquals(1, peer.side.counter("sent_terminates"));
        peer.send(RawSegment.write(stag, to, "7a7a7a7a"));
        assertFalse(text(0, 4).equals("zzzz"), "no further data is placed");
    }

    // ---- valid segments ----

    @Test
    void shouldPlaceSendsOfSeveralSegments() {
        postReceive(5, 64);
        peer.send(RawSegment.untagged(RawSegment.SEND, 1).more().with(ABCD));
        assertEquals(List.of(), peer.side.receiveStatuses());
        peer.send(RawSegment.untagged(RawSegment.SEND, 1).offset(4).with("65"));
        WorkCompletion wc = peer.side.receives().getFirst();
        assertEquals(WcStatus.SUCCESS, wc.status());
        assertEquals(5, wc.wrId());
        assertEquals(5, wc.byteLength());
        assertEquals("abcde", text(2048, 5));
        assertNull(peer.next());
        assertEquals(2, peer.side.counter("rcvd_fpdus"));
        assertEquals(1, peer.side.counter("rdma_recvs"));
    }

    @Test
    void shouldPlaceAWriteBetweenTheSegmentsOfASend() {
        postReceive(1, 64);
        peer.send(RawSegment.untagged(RawSegment.SEND, 1).more().with(ABCD));
        peer.send(RawSegment.write(stag, to + 1, ABCD));
        peer.send(RawSegment.untagged(RawSegment.SEND, 1).offset(4).with(ABCD));
        assertEquals(List.of(WcStatus.SUCCESS), peer.side.receiveStatuses());
        assertEquals("abcd", text(1, 4));
    }

    @Test
    void shouldNotLookAtTheKeyOfAnEmptyWrite() {
        peer.send(RawSegment.write(0xdeadbeef, -4, ""));
        assertNull(peer.next());
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    @Test
    void shouldAnswerReadsInOrderAndCutThem() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.maxUlpdu = 128;
        begin(setup);
        region.memory().fill((byte) 'x');
        peer.sendBytes(RawPeer.concat(peer.frame(RawPeer.bytes(RawSegment.read(1).into(0x77, 0x1000).from(stag, to, 200))),
            peer.frame(RawPeer.bytes(RawSegment.read(2).into(0x78, -1).from(0xbad, 0, 0)))));
        // 114 bytes would fit; the length of each segment except the last is a multiple of 4.
        assertEquals(RawSegment.tagged(RawSegment.READ_RESPONSE, 0x77, 0x1000).more().with("78".repeat(112)), peer.next());
        assertEquals(RawSegment.readResponse(0x77, 0x1070, "78".repeat(88)), peer.next());
        assertEquals(RawSegment.readResponse(0x78, -1, ""), peer.next());
        assertNull(peer.next());
    }

    @Test
    void shouldDeliverImmediateDataBehindItsWrite() {
        postReceive(9, 0);
        peer.send(RawSegment.tagged(RawSegment.WRITE, stag, to).more().with(ABCD));
        peer.send(RawSegment.write(stag, to + 4, "6566"));
        peer.send(RawSegment.untagged(RawSegment.IMMEDIATE_SOLICITED, 1).with("c0ffee01 00000000"));
        WorkCompletion wc = peer.side.receives().getFirst();
        assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, wc.opcode());
        assertEquals(0xc0ffee01, wc.immediate());
        assertEquals(6, wc.byteLength());
        assertEquals(WcFlags.WITH_IMM, wc.flags());
        postReceive(10, 0);
        peer.send(RawSegment.untagged(RawSegment.IMMEDIATE, 2).with("00000002 00000000"));
        WorkCompletion second = peer.side.receives().getLast();
        assertEquals(10, second.wrId());
        assertEquals(WcStatus.SUCCESS, second.status());
        assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, second.opcode());
        assertEquals(2, second.immediate());
        assertEquals(0, second.byteLength(), "no WRITE came directly before");
        assertNull(peer.next());
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    @Test
    void shouldExecuteAtomicsInTheirTurn() {
        region.memory().set(ValueLayout.JAVA_LONG, 0, 5);
        peer.send(RawSegment.atomic(1, 0xaa).at(stag, to).add(7));
        assertEquals(RawSegment.atomicResponse(1, 0xaa, 5), peer.next());
        peer.send(RawSegment.atomic(2, 0xab).at(stag, to).swap(12, 100));
        assertEquals(RawSegment.atomicResponse(2, 0xab, 0xc), peer.next());
        peer.send(RawSegment.atomic(3, 0xac).at(stag, to).swap(12, 200));
        assertEquals(RawSegment.atomicResponse(3, 0xac, 0x64), peer.next());
        assertEquals(100, region.memory().get(ValueLayout.JAVA_LONG, 0), "the second comparison failed");
    }

    /** RFC 7306 §5.1: CmpSwap swaps masked bits if masked bits are equal; FetchAdd adds without a carry beyond each field. */
    @Test
    void shouldHeedTheMasksOfAtomics() {
        region.memory().set(ValueLayout.JAVA_LONG, 0, 0x1122334455667788L);
        peer.send(RawSegment.atomic(1, 1).at(stag, to).swapMasked(0x1100000000000000L, 0xff00000000000000L, 0x00000000000000ffL, 0x0fL));
        peer.next();
        assertEquals(0x112233445566778fL, region.memory().get(ValueLayout.JAVA_LONG, 0));
        region.memory().set(ValueLayout.JAVA_LONG, 0, 0x00ff00000000ffffL);
        peer.send(RawSegment.atomic(2, 2).at(stag, to).add(0x0001000000000001L, 0x0080000000008000L));
        peer.next();
        assertEquals(0x0000000000000000L, region.memory().get(ValueLayout.JAVA_LONG, 0), "both fields wrapped, neither carried on");
        region.memory().set(ValueLayout.JAVA_LONG, 0, 0x0000000000010001L);
        peer.send(RawSegment.atomic(3, 3).at(stag, to).add(0x0000000000020003L, 0x0080000000008000L));
        peer.next();
        assertEquals(0x0000000000030004L, region.memory().get(ValueLayout.JAVA_LONG, 0));
        assertEquals(0x0100L, PendingResponses.addByFields(0x00ff, 0x0001, 0), "no tops: one field of 64 bits");
    }

    @Test
    void shouldCloseAWindowThatASendInvalidates() {
        MemoryWindow window = peer.side.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        int key = MemoryWindow.nextRkey(window.rkey());
        peer.side.qp.postSend(new SendRequest().bindWindow(key, region, to, 64, AccessFlags.REMOTE_WRITE).signaled());
        peer.run();
        assertEquals(List.of(WcStatus.SUCCESS), peer.side.sendStatuses());
        peer.send(RawSegment.write(key, to, ABCD));
        assertEquals("abcd", text(0, 4));
        postReceive(1, 64);
        peer.send(RawSegment.untagged(RawSegment.SEND_INVALIDATE, 1).invalidating(key).with(ABCD));
        WorkCompletion wc = peer.side.receives().getFirst();
        assertEquals(WcFlags.WITH_INV, wc.flags());
        assertEquals(key, wc.immediate());
        String again = RawSegment.write(key, to, ABCD);
        peer.send(again);
        assertEquals(RawSegment.terminate(0x1100, again), peer.next());
    }

    // ---- errors: queue 0 ----

    @Test
    void shouldTerminateWithoutReceive() {
        String send = RawSegment.send(1, ABCD);
        peer.send(send);
        assertEquals(List.of(), peer.side.receiveStatuses());
        assertTerminated(RawSegment.terminate(0x1202, send), AsyncEventType.QP_REQ_ERR);
        assertEquals(1, peer.side.counter("no_buffer"));
    }

    @Test
    void shouldTerminateASendLongerThanItsReceive() {
        postReceive(1, 7);
        postReceive(2, 64);
        peer.send(RawSegment.untagged(RawSegment.SEND, 1).more().with(ABCD));
        String second = RawSegment.untagged(RawSegment.SEND, 1).offset(4).with(ABCD);
        peer.send(second);
        assertEquals(List.of(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR), peer.side.receiveStatuses());
        assertTerminated(RawSegment.terminate(0x1205, second), AsyncEventType.QP_REQ_ERR);
    }

    @Test
    void shouldTerminateABadSequenceNumber() {
        postReceive(1, 64);
        String send = RawSegment.send(2, ABCD);
        peer.send(send);
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), peer.side.receiveStatuses());
        assertTerminated(RawSegment.terminate(0x1203, send), AsyncEventType.QP_REQ_ERR);
    }

    @Test
    void shouldTerminateABadOffset() {
        postReceive(1, 64);
        String send = RawSegment.untagged(RawSegment.SEND, 1).offset(4).with(ABCD);
        peer.send(send);
        assertTerminated(RawSegment.terminate(0x1204, send), AsyncEventType.QP_REQ_ERR);
    }

    @Test
    void shouldTerminateABadQueue() {
        String send = RawSegment.untagged(RawSegment.SEND, 1).queue(1).with(ABCD);
        peer.send(send);
        assertTerminated(RawSegment.terminate(0x1201, send), AsyncEventType.QP_REQ_ERR);
    }

    @Test
    void shouldTerminateAnotherMessageInsideASend() {
        postReceive(1, 64);
        peer.send(RawSegment.untagged(RawSegment.SEND, 1).more().with(ABCD));
        String other = RawSegment.untagged(RawSegment.SEND_SOLICITED, 1).offset(4).with(ABCD);
        peer.send(other);
        assertTerminated(RawSegment.terminate(0x0206, other), AsyncEventType.QP_REQ_ERR);
    }

    @Test
    void shouldTerminateWhenTheReceivesMemoryIsGone() {
        MemoryRegion gone = peer.side.memory(64, AccessFlags.LOCAL_WRITE);
        peer.side.qp.postReceive(new ReceiveRequest().begin(1).element(gone, 0, 64));
        gone.close();
        String send = RawSegment.send(1, ABCD);
        peer.send(send);
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), peer.side.receiveStatuses());
        assertTerminated(RawSegment.terminate(0x1000, send), AsyncEventType.QP_FATAL);
    }

    @Test
    void shouldTerminateInvalidatingWhatCannotBe() {
        postReceive(1, 64);
        String ofRegion = RawSegment.untagged(RawSegment.SEND_INVALIDATE, 1).invalidating(stag).with("");
        peer.send(ofRegion);
        assertEquals(List.of(WcStatus.LOC_ACCESS_ERR), peer.side.receiveStatuses());
        assertTerminated(RawSegment.terminate(0x0109, ofRegion), AsyncEventType.QP_ACCESS_ERR);
        connect();
        postReceive(1, 64);
        String ofNothing = RawSegment.untagged(RawSegment.SEND_SOLICITED_INVALIDATE, 1).invalidating(0x12345678).with("");
        peer.send(ofNothing);
        assertTerminated(RawSegment.terminate(0x0100, ofNothing), AsyncEventType.QP_ACCESS_ERR);
    }

    // ---- errors: keys and ranges ----

    private void assertRefused(int code, String segment) {
        peer.send(segment);
        assertTerminated(RawSegment.terminate(code, segment), AsyncEventType.QP_ACCESS_ERR);
        assertEquals(1, peer.side.counter("bad_access"));
        connect();
    }

    @Test
    void shouldRefuseWritesThatAreNotAllowed() {
        assertRefused(0x1100, RawSegment.write(0x7777, to, ABCD));
        assertRefused(0x1100, RawSegment.write(stag ^ 1, to, ABCD));
        assertRefused(0x1101, RawSegment.write(stag, to - 1, ABCD));
        assertRefused(0x1101, RawSegment.write(stag, to + 4093, ABCD));
        assertRefused(0x1103, RawSegment.write(stag, -3, ABCD));
        peer.send(RawSegment.write(stag, to + 4092, ABCD));
        assertEquals("abcd", text(4092, 4), "just inside");
        assertNull(peer.next());
    }

    @Test
    void shouldRefuseReadsThatAreNotAllowed() {
        assertRefused(0x0100, RawSegment.read(1).into(1, 1).from(0x7777, to, 4));
        assertRefused(0x0101, RawSegment.read(1).into(1, 1).from(stag, to, 4097));
        assertRefused(0x0104, RawSegment.read(1).into(1, 1).from(stag, -3, 4));
        assertRefused(0x0101, RawSegment.read(1).into(1, 1).from(stag, to, 0xFFFF_FFFFL));
        assertRefused(0x0100, RawSegment.atomic(1, 1).at(0x7777, to).add(1));
        assertRefused(0x0101, RawSegment.atomic(1, 1).at(stag, to + 4096).add(1));
    }

    @Test
    void shouldRefuseWithoutRights() {
        for (boolean readable : new boolean[] {true, false}) {
            connect();
            MemoryRegion other = peer.side.memory(64,
                AccessFlags.LOCAL_WRITE | (readable ? AccessFlags.REMOTE_READ : AccessFlags.REMOTE_WRITE));
            String segment = readable ? RawSegment.write(other.rkey(), other.address(), ABCD)
                : RawSegment.read(1).into(1, 1).from(other.rkey(), other.address(), 4);
            peer.send(segment);
            assertTerminated(RawSegment.terminate(0x0102, segment), AsyncEventType.QP_ACCESS_ERR);
        }
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.access = AccessFlags.REMOTE_READ;
        begin(setup);
        String write = RawSegment.write(stag, to, ABCD);
        peer.send(write);
        assertTerminated(RawSegment.terminate(0x0102, write), AsyncEventType.QP_ACCESS_ERR);
    }

    @Test
    void shouldRefuseMemoryOfAnotherProtectionDomain() {
        try (var elsewhere = peer.side.context.allocatePd();
             MemoryRegion other = elsewhere.register(Arena.ofAuto().allocate(64), SiwPair.ALL_REMOTE)) {
            String write = RawSegment.write(other.rkey(), other.address(), ABCD);
            peer.send(write);
            assertTerminated(RawSegment.terminate(0x1102, write), AsyncEventType.QP_ACCESS_ERR);
        }
    }

    @Test
    void shouldRefuseMoreReadsThanAgreed() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.ird = 2;
        // Sending is not allowed yet: requests accumulate.
        setup.sendNotBeforeNs = SiwPair.SECOND;
        begin(setup);
        for (int msn = 1; msn <= 2; msn++) {
            peer.send(RawSegment.read(msn).into(1, 1).from(stag, to, 4));
        }
        assertNull(peer.next());
        assertEquals(QpState.RTS, peer.side.qp.state());
        String third = RawSegment.read(3).into(1, 1).from(stag, to, 4);
        peer.send(third);
        assertTerminated(RawSegment.terminate(0x1202, third), AsyncEventType.QP_REQ_ERR);
        SiwPair.Setup none = new SiwPair.Setup();
        none.ird = 0;
        begin(none);
        String read = RawSegment.read(1).into(1, 1).from(stag, to, 4);
        peer.send(read);
        assertTerminated(RawSegment.terminate(0x1202, read), AsyncEventType.QP_REQ_ERR);
    }

    // ---- errors: framing, versions, unsolicited responses ----

    @Test
    void shouldTerminateABadCrc() {
        postReceive(1, 64);
        byte[] frame = peer.frame(RawPeer.bytes(RawSegment.send(1, ABCD)));
        frame[20] ^= 1;
        peer.sendBytes(frame);
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), peer.side.receiveStatuses());
        assertTerminated(RawSegment.terminate(0x2002), AsyncEventType.QP_FATAL);
        assertEquals(1, peer.side.counter("bad_crc"));
        assertEquals(0, region.memory().get(ValueLayout.JAVA_BYTE, 2048), "nothing was placed");
    }

    @Test
    void shouldNotLookAtTheCrcFieldWithoutCrc() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.crc = false;
        begin(setup);
        byte[] frame = peer.frame(RawPeer.bytes(RawSegment.write(stag, to, "616263")));
        frame[frame.length - 1] = 9;
        frame[frame.length - 5] = 7;
        peer.sendBytes(frame);
        assertEquals("abc", text(0, 3));
        assertNull(peer.next());
    }

    @Test
    void shouldTerminateWhatIsNoSegment() {
        String[][] bad = {
            {"4043" + "00".repeat(16), "1206"}, {"c340" + "00".repeat(12), "1104"}, {"4103" + "00".repeat(16), "0205"},
            {"414c" + "00".repeat(16), "0206"}, {"41", "2003"}, {"", "2003"}, {"4143 0000", "2003"}};
        for (String[] each : bad) {
            connect();
            peer.send(each[0]);
            int code = Integer.parseInt(each[1], 16);
            assertEquals(RawSegment.terminate(code), peer.next(), each[0]);
            assertEquals(QpState.ERR, peer.side.qp.state());
        }
        connect();
        String tagged = "c143" + "00".repeat(16);
        peer.send(tagged);
        assertEquals(RawSegment.terminate(0x0206), peer.next());
    }

    @Test
    void shouldTerminateAnswersNobodyAskedFor() {
        String response = RawSegment.readResponse(stag, to, ABCD);
        peer.send(response);
        assertTerminated(RawSegment.terminate(0x0206, response), AsyncEventType.QP_REQ_ERR);
        connect();
        String atomic = RawSegment.atomicResponse(1, 1, 0);
        peer.send(atomic);
        assertTerminated(RawSegment.terminate(0x0206, atomic), AsyncEventType.QP_REQ_ERR);
    }

    @Test
    void shouldEndQuietlyWhenThePeerDoes() {
        postReceive(1, 64);
        peer.end();
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), peer.side.receiveStatuses());
        assertEquals(List.of(), peer.side.events());
        assertNull(peer.next());
        assertEquals(0, peer.side.counter("torn_frames"));
        assertEquals(UlpduCheck.OK, peer.side.qp.machine().terminatedBy());
        connect();
        peer.sendBytes(new byte[] {0, 20, 65});
        peer.end();
        assertEquals(1, peer.side.counter("torn_frames"));
    }

    /** A frame that is torn after the queue pair has ended is of no interest. */
    @Test
    void shouldNotCountFramesTornAfterTheEnd() {
        peer.sendBytes(new byte[] {0, 20, 65});
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        peer.end();
        assertEquals(0, peer.side.counter("torn_frames"));
        assertEquals(List.of(), peer.side.events());
    }
}
