// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Posted work requests: their bytes on the wire and their completions. */
class RequesterScriptTest extends RequesterScript {
    /** A complete frame, laid out by hand after RFC 5044 and RFC 5041; the CRC was computed independently. */
    @Test
    void shouldSendHello() {
        post(hello(new SendRequest().send()).wrId(3));
        peer.run();
        assertEquals("0017414300000000000000000000000100000000" + "68656c6c6f000000" + "b990b10c",
            HexFormat.of().formatHex(peer.stream.sent.toByteArray()));
        WorkCompletion wc = peer.side.sends().getFirst();
        assertEquals(WcStatus.SUCCESS, wc.status());
        assertEquals(WcOpcode.SEND, wc.opcode());
        assertEquals(3, wc.wrId());
    }

    @Test
    void shouldSendEveryKindOfSend() {
        post(hello(new SendRequest().send()).solicited());
        post(hello(new SendRequest().sendWithInvalidate(0x5afe0100)));
        post(hello(new SendRequest().sendWithInvalidate(0x5afe0101)).solicited());
        post(new SendRequest().send());
        assertEquals(RawSegment.untagged(RawSegment.SEND_SOLICITED, 1).with("68656c6c6f"), peer.next());
        assertEquals(RawSegment.untagged(RawSegment.SEND_INVALIDATE, 2).invalidating(0x5afe0100).with("68656c6c6f"), peer.next());
        assertEquals(RawSegment.untagged(RawSegment.SEND_SOLICITED_INVALIDATE, 3).invalidating(0x5afe0101).with("68656c6c6f"), peer.next());
        assertEquals(RawSegment.untagged(RawSegment.SEND, 4).with(""), peer.next());
        assertNull(peer.next());
    }

    @Test
    void shouldSendWhatWasPostedBeforeItIsDestroyed() {
        post(hello(new SendRequest().send()));
        post(hello(new SendRequest().send()));
        peer.side.qp.close();
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
        assertEquals(RawSegment.send(2, "68656c6c6f"), peer.next());
        assertNull(peer.next());
    }

    /** Payload at maxUlpdu 128: 110 bytes of an untagged segment, 114 of a tagged one, multiples of 4 except for the last segment. */
    @Test
    void shouldCutMessagesIntoSegments() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.maxUlpdu = 128;
        begin(setup);
        String text = HexFormat.of().formatHex(region.memory().asSlice(0, 250).toArray(ValueLayout.JAVA_BYTE));
        post(new SendRequest().send().element(region, 0, 100).element(region, 100, 18).signaled());
        post(new SendRequest().write(0x2000, 0x55667788).element(region, 0, 250).signaled());
        post(new SendRequest().write(0x3000, 0x55667788).element(region, 0, 114).signaled());
        assertEquals(RawSegment.untagged(RawSegment.SEND, 1).more().with(text.substring(0, 216)), peer.next());
        assertEquals(RawSegment.untagged(RawSegment.SEND, 1).offset(108).with(text.substring(216, 236)), peer.next());
        assertEquals(RawSegment.tagged(RawSegment.WRITE, 0x55667788, 0x2000).more().with(text.substring(0, 224)), peer.next());
        assertEquals(RawSegment.tagged(RawSegment.WRITE, 0x55667788, 0x2070).more().with(text.substring(224, 448)), peer.next());
        assertEquals(RawSegment.write(0x55667788, 0x20e0, text.substring(448, 500)), peer.next());
        assertEquals(RawSegment.write(0x55667788, 0x3000, text.substring(0, 228)), peer.next());
        assertNull(peer.next());
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS), peer.side.sendStatuses());
        assertEquals(6, peer.side.counter("sent_fpdus"));
        assertEquals(3, peer.side.counter("rdma_sends"));
    }

    @Test
    void shouldSendImmediateDataBehindItsWrite() {
        post(hello(new SendRequest().writeWithImmediate(0x2000, 7, 0xc0ffee01)));
        post(hello(new SendRequest().send()));
        assertEquals(RawSegment.write(7, 0x2000, "68656c6c6f"), peer.next());
        assertEquals(RawSegment.untagged(RawSegment.IMMEDIATE, 1).with("c0ffee01 00000000"), peer.next());
        assertEquals(RawSegment.send(2, "68656c6c6f"), peer.next());
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), peer.side.sendStatuses());
    }

    @Test
    void shouldReadIntoItsElementsAndCompleteInOrder() {
        MemoryRegion sink = peer.side.memory(64, AccessFlags.LOCAL_WRITE);
        post(new SendRequest().read(0x9000, 0x77).wrId(1).element(sink, 8, 2).element(sink, 0, 4).signaled());
        post(hello(new SendRequest().send()).wrId(2));
        assertEquals(RawSegment.read(1).into(sink.lkey(), sink.address() + 8).from(0x77, 0x9000, 6), peer.next());
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
        assertEquals(List.of(), peer.side.sends(), "the SEND is gone, but the READ before it is not answered");
        peer.send(RawSegment.tagged(RawSegment.READ_RESPONSE, sink.lkey(), sink.address() + 8).more().with("616263"));
        peer.send(RawSegment.readResponse(sink.lkey(), sink.address() + 11, "646566"));
        assertEquals(List.of(1L, 2L), peer.side.sends().stream().map(WorkCompletion::wrId).toList());
        assertEquals(6, peer.side.sends().getFirst().byteLength());
        assertEquals("cdef", new String(sink.memory().asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE)));
        assertEquals("ab", new String(sink.memory().asSlice(8, 2).toArray(ValueLayout.JAVA_BYTE)));
    }

    @Test
    void shouldHaveNoMoreReadsOutstandingThanAgreed() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.ord = 2;
        begin(setup);
        for (int i = 0; i < 4; i++) {
            post(new SendRequest().read(0x9000 + i, 0x77).element(region, 0, 0).signaled());
        }
        assertEquals(2, peer.rest().size());
        peer.send(RawSegment.readResponse(region.lkey(), region.address(), ""));
        assertEquals(RawSegment.read(3).into(region.lkey(), region.address()).from(0x77, 0x9002, 0), peer.next());
        assertNull(peer.next());
        assertEquals(List.of(WcStatus.SUCCESS), peer.side.sendStatuses());
    }

    @Test
    void shouldHoldAFencedRequestBackUntilReadsAreAnswered() {
        post(new SendRequest().read(0x9000, 0x77).element(region, 0, 1));
        post(new SendRequest().fetchAndAdd(0x9008, 0x77, 5).element(region, 0, 8));
        post(hello(new SendRequest().send()).fence());
        assertEquals(RawSegment.read(1).into(region.lkey(), region.address()).from(0x77, 0x9000, 1), peer.next());
        assertEquals(RawSegment.atomic(2, 2).at(0x77, 0x9008).add(5), peer.next());
        peer.send(RawSegment.readResponse(region.lkey(), region.address(), "7a"));
        assertNull(peer.next());
        peer.send(RawSegment.atomicResponse(1, 2, 3));
        // The old value was stored in the first eight bytes, in host order.
        assertEquals(3, region.memory().get(ValueLayout.JAVA_LONG, 0));
        assertTrue(peer.next().startsWith("4143"));
    }

    @Test
    void shouldCompareAndSwap() {
        post(new SendRequest().compareAndSwap(0x9008, 0x77, 11, 22).element(region, 0, 8).signaled());
        assertEquals(RawSegment.atomic(1, 1).at(0x77, 0x9008).swap(11, 22), peer.next());
        peer.send(RawSegment.atomicResponse(1, 1, 0xb));
        assertEquals(WcOpcode.COMP_SWAP, peer.side.sends().getFirst().opcode());
        assertEquals(11, region.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void shouldStopForWantOfRoomAndGoOn() {
        peer.stream.room = 100;
        post(new SendRequest().write(0, 7).element(region, 0, 800).signaled());
        peer.run();
        assertEquals(100, peer.stream.sent.size());
        assertEquals(List.of(WcStatus.SUCCESS), peer.side.sendStatuses(), "the stream accepted everything");
        peer.stream.room = Integer.MAX_VALUE;
        peer.sendBytes(new byte[0]);
        assertEquals(2 * (14 + 800), peer.next().length());
    }

    // ---- start of sending ----

    @Test
    void shouldNotTalkBeforeThePeerHas() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.sendNotBeforeNs = Long.MAX_VALUE;
        begin(setup);
        post(hello(new SendRequest().send()));
        assertNull(peer.next());
        peer.send(RawSegment.write(0, 0, ""));
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
    }

    @Test
    void shouldNotTalkBeforeThePauseIsOver() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.sendNotBeforeNs = 10_000_000;
        begin(setup);
        post(hello(new SendRequest().send()));
        peer.simulation.runFor(9_000_000);
        assertNull(peer.next());
        peer.simulation.runFor(1_000_000);
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
    }

    @Test
    void shouldBeginAPeerToPeerConnectionWithAnEmptyMessage() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.first = MpaOptions.Rtr.WRITE;
        begin(setup);
        assertEquals(RawSegment.write(0, 0, ""), peer.next());
        setup.first = MpaOptions.Rtr.READ;
        begin(setup);
        post(new SendRequest().read(0x9000, 0x77).element(region, 0, 0).signaled());
        assertEquals(RawSegment.read(1).from(0, 0, 0), peer.next());
        assertEquals(RawSegment.read(2).into(region.lkey(), region.address()).from(0x77, 0x9000, 0), peer.next());
        peer.send(RawSegment.readResponse(0, 0, ""));
        assertEquals(List.of(), peer.side.sends(), "that was not the application's");
        peer.send(RawSegment.readResponse(region.lkey(), region.address(), ""));
        assertEquals(List.of(WcStatus.SUCCESS), peer.side.sendStatuses());
    }

    /** The READ that opens the connection is not in the send queue: nothing that was posted waits for its response. */
    @Test
    void shouldCompleteWhatIsPostedBehindTheOpeningRead() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.first = MpaOptions.Rtr.READ;
        begin(setup);
        post(hello(new SendRequest().write(0x2000, 7)).wrId(1));
        post(hello(new SendRequest().send()).wrId(2));
        assertEquals(3, peer.rest().size());
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), peer.side.sendStatuses());
        post(new SendRequest().read(0x9000, 0x77).wrId(3).element(region, 0, 4).signaled());
        post(hello(new SendRequest().send()).wrId(4));
        peer.run();
        assertEquals(2, peer.side.sends().size(), "the posted READ is awaited");
    }

    // ---- limits ----

    @Test
    void shouldRefuseWhatIwarpHasNot() {
        VerbsException byHand = assertThrows(VerbsException.class, () -> peer.side.qp.modify(new QpAttributes().state(QpState.RTR)));
        assertEquals(Errno.EINVAL, byHand.errno());
        assertTrue(byHand.getMessage().contains("connection manager"), byHand.getMessage());
        assertThrows(VerbsException.class, () -> post(new SendRequest().sendWithImmediate(1)));
        assertThrows(VerbsException.class, () -> post(new SendRequest().atomicWrite(0, 0)));
        assertThrows(VerbsException.class, () -> peer.side.qp.modify(new QpAttributes().state(QpState.ERR).qkey(1)));
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    /** Inline data is copied when it is posted: later changes of its memory are not sent. */
    @Test
    void shouldCopyInlineDataWhenPosted() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.sendNotBeforeNs = 5_000;
        begin(setup);
        MemorySegment text = region.memory().asSlice(0, 5);
        post(new SendRequest().send().inlineData(text));
        text.fill((byte) 0);
        peer.simulation.runFor(10_000);
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
    }

    @Test
    void shouldCutInlineDataIntoSegments() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.maxUlpdu = 128;
        setup.maxInline = 250;
        begin(setup);
        MemorySegment text = region.memory().asSlice(0, 250);
        String digits = HexFormat.of().formatHex(text.toArray(ValueLayout.JAVA_BYTE));
        post(new SendRequest().send().inlineData(text).signaled());
        post(new SendRequest().write(0x2000, 7).inlineData(text).signaled());
        assertEquals(RawSegment.untagged(RawSegment.SEND, 1).more().with(digits.substring(0, 216)), peer.next());
        assertEquals(RawSegment.untagged(RawSegment.SEND, 1).offset(108).more().with(digits.substring(216, 432)), peer.next());
        assertEquals(RawSegment.untagged(RawSegment.SEND, 1).offset(216).with(digits.substring(432)), peer.next());
        assertEquals(RawSegment.tagged(RawSegment.WRITE, 7, 0x2000).more().with(digits.substring(0, 224)), peer.next());
        assertEquals(RawSegment.tagged(RawSegment.WRITE, 7, 0x2070).more().with(digits.substring(224, 448)), peer.next());
        assertEquals(RawSegment.write(7, 0x20e0, digits.substring(448)), peer.next());
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), peer.side.sendStatuses());
    }

    /** Lengths of messages are u32 on the wire. The memory is registered and never touched, as a READ request contains no data. */
    @Test
    void shouldReadUpToFourGigabytes() {
        int most = Integer.MAX_VALUE;
        MemoryRegion huge = peer.side.pd.register(MemorySegment.ofAddress(1L << 40).reinterpret(1L << 32), SiwPair.ALL_REMOTE);
        post(new SendRequest().read(0x9000, 7).element(huge, 0, most).element(huge, 0, most).element(huge, 0, 1).signaled());
        assertEquals(RawSegment.read(1).into(huge.lkey(), huge.address()).from(7, 0x9000, 0xFFFF_FFFFL), peer.next());
        post(new SendRequest().read(0x9000, 7).element(huge, 0, most).element(huge, 0, most).element(huge, 0, 2).signaled());
        assertEquals(RawSegment.terminate(0x0000), peer.next());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR, WcStatus.LOC_LEN_ERR), peer.side.sendStatuses());
    }

    /** A transmit turn is bounded even if the stream accepts everything at once. */
    @Test
    void shouldStopForOthersThoughTheStreamTakesEverything() {
        int turn = SiwConnection.MOST_FILLS * SiwConnection.SEND_BUFFER_BYTES;
        MemoryRegion large = peer.side.memory(2L * turn, 0);
        peer.side.qp.postSend(new SendRequest().write(0x2000, 7).element(large, 0, 2 * turn).signaled());
        peer.side.engine.doWork(peer.clock.nowNs());
        int sent = peer.stream.sent.size();
        assertTrue(sent > turn / 2 && sent <= turn, sent + " bytes");
        assertEquals(peer.clock.nowNs(), peer.side.engine.deadlineNs(), "the next turn is due at once");
        peer.run();
        assertEquals(List.of(WcStatus.SUCCESS), peer.side.sendStatuses());
    }
}
