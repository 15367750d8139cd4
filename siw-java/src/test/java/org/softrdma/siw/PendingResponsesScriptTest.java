// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.device.agent.Deadline;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.SendRequest;

/**
 * Responses to the peer's READs and atomics that were received and must wait: their order, and memory that changes under them. Rights are
 * checked when a request is received and again for every segment of its response; bytes that the key does not allow any more are never
 * sent. The Terminate contains the request, so that the peer can fail it (RFC 5040 §4.8).
 */
class PendingResponsesScriptTest {
    /** More than the send buffer holds, so that most of a response waits while the peer reads nothing. */
    private static final int LONG = 3 * SiwConnection.SEND_BUFFER_BYTES;
    private static final int SINK_STAG = 0x77;
    private static final long SINK_TO = 0x1000;
    private static final int TAGGED_HEADER_DIGITS = 2 * 14;

    private final RawPeer peer = new RawPeer();
    private final Arena arena = Arena.ofShared();
    private MemoryRegion region;
    private ProtectionDomain elsewhere;

    /** A way in which registered memory becomes inaccessible to the peer. */
    private interface Change {
        void apply(PendingResponsesScriptTest test);
    }

    private static Arguments row(String name, int code, Change change) {
        return Arguments.of(name, code, change);
    }

    /** Columns: change, the code of RFC 5040 §4.8 that names it. */
    static Stream<Arguments> changesOfTheKey() {
        return Stream.of(
            row("deregistered", 0x0100, test -> test.region.close()),
            row("no right to READ or change it any more", 0x0102,
                test -> test.region.reregister(new Reregistration().access(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE))),
            row("of another protection domain", 0x0103, test -> test.region.reregister(new Reregistration().pd(test.elsewhere))),
            row("elsewhere", 0x0101, test -> test.region.reregister(new Reregistration().memory(test.arena.allocate(8, 8)))));
    }

    private MemoryRegion open(long bytes) {
        MemorySegment memory = arena.allocate(bytes, 64).fill((byte) 'x');
        region = peer.side.pd.register(memory, SiwPair.ALL_REMOTE);
        elsewhere = peer.side.context.allocatePd();
        return region;
    }

    /** Returns the request. */
    private String requestLongRead() {
        peer.stream.room = 0;
        String request = RawSegment.read(1).into(SINK_STAG, SINK_TO).from(region.rkey(), region.address(), LONG);
        peer.send(request);
        assertEquals(QpState.RTS, peer.side.qp.state());
        return request;
    }

    /** Lets the stream accept everything again. */
    private List<String> continueAndCollect() {
        peer.stream.room = Integer.MAX_VALUE;
        peer.sendBytes(new byte[0]);
        return peer.rest();
    }

    /** Asserts that the frames are the beginning of the READ's response, with the bytes of the region, and returns how many bytes. */
    private static long assertBeginning(List<String> frames) {
        long bytes = 0;
        for (String frame : frames) {
            String payload = frame.substring(TAGGED_HEADER_DIGITS);
            String expected = RawSegment.tagged(RawSegment.READ_RESPONSE, SINK_STAG, SINK_TO + bytes).more()
                .with("78".repeat(payload.length() / 2));
            assertEquals(expected, frame);
            bytes += payload.length() / 2;
        }
        return bytes;
    }

    private void assertEnded() {
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertTrue(peer.stream.closed);
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), peer.side.events());
        assertEquals(1, peer.side.counter("bad_access"));
        assertEquals(1, peer.side.counter("sent_terminates"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("changesOfTheKey")
    void shouldSendNoByteOfAReadAfterItsMemoryIs(String name, int code, Change change) {
        open(LONG);
        String request = requestLongRead();
        change.apply(this);
        assertReadRefused(code, request);
        assertEquals(0, peer.side.counter("memory_gone"));
    }

    @Test
    void shouldSendNoByteOfAReadAfterItsMemoryWasFreed() {
        open(LONG);
        String request = requestLongRead();
        arena.close();
        assertReadRefused(0x0100, request);
        assertEquals(1, peer.side.counter("memory_gone"));
    }

    private void assertReadRefused(int code, String request) {
        List<String> frames = continueAndCollect();
        assertEquals(RawSegment.terminate(code, request), frames.getLast());
        long sent = assertBeginning(frames.subList(0, frames.size() - 1));
        assertTrue(sent > 0 && sent <= SiwConnection.SEND_BUFFER_BYTES, sent + " bytes, those written before the change");
        assertEquals(frames.size() - 1, peer.side.counter("sent_fpdus"), "all but the Terminate");
        assertEnded();
    }

    /** The atomic's own memory changes; the READ before it is answered to its end. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("changesOfTheKey")
    void shouldNotExecuteAnAtomicAfterItsMemoryIs(String name, int code, Change change) {
        open(LONG);
        requestLongRead();
        MemorySegment word = arena.allocate(64, 64);
        region = peer.side.pd.register(word, SiwPair.ALL_REMOTE);
        String request = RawSegment.atomic(2, 5).at(region.rkey(), region.address()).swapMasked(1, 2, 3, 4);
        peer.send(request);
        change.apply(this);
        List<String> frames = continueAndCollect();
        assertEquals(RawSegment.terminate(code, request), frames.getLast());
        String last = frames.get(frames.size() - 2);
        assertTrue(last.startsWith("c142"), last);
        assertBeginning(frames.subList(0, frames.size() - 2));
        assertEnded();
        assertEquals(0, word.get(ValueLayout.JAVA_LONG, 0));
    }

    /** Memory that was freed while an atomic waits for permission to answer. */
    @Test
    void shouldNotExecuteAnAtomicInFreedMemory() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.sendNotBeforeNs = SiwPair.SECOND;
        for (boolean add : new boolean[] {true, false}) {
            RawPeer late = new RawPeer(setup);
            Arena own = Arena.ofShared();
            MemoryRegion word = late.side.pd.register(own.allocate(64, 64), SiwPair.ALL_REMOTE);
            RawSegment.Atomic atomic = RawSegment.atomic(1, 5).at(word.rkey(), word.address());
            String request = add ? atomic.add(1) : atomic.swap(0, 1);
            late.send(request);
            own.close();
            late.simulation.runFor(2 * SiwPair.SECOND);
            assertEquals(RawSegment.terminate(0x0100, request), late.next());
            assertNull(late.next());
            assertEquals(QpState.ERR, late.side.qp.state());
            assertEquals(1, late.side.counter("memory_gone"));
        }
    }

    /** An atomic is executed after the READ before it: the READ returns the old value. */
    @Test
    void shouldExecuteAtomicsAfterTheReadsBeforeThem() {
        open(LONG);
        region.memory().set(ValueLayout.JAVA_LONG, LONG - 8, 7);
        requestLongRead();
        peer.send(RawSegment.atomic(2, 5).at(region.rkey(), region.address() + LONG - 8).add(1));
        assertEquals(7, region.memory().get(ValueLayout.JAVA_LONG, LONG - 8), "not its turn yet");
        List<String> frames = continueAndCollect();
        assertEquals(RawSegment.atomicResponse(1, 5, 7), frames.getLast());
        String last = frames.get(frames.size() - 2);
        assertTrue(last.endsWith("0700000000000000"), last);
        assertEquals(8, region.memory().get(ValueLayout.JAVA_LONG, LONG - 8));
    }

    /** Bits that are 0 in the swap mask stay as they are: RFC 7306 §5.1. */
    @Test
    void shouldSwapNoBitOutsideOfTheMask() {
        open(64);
        region.memory().set(ValueLayout.JAVA_LONG, 0, 5);
        peer.send(RawSegment.atomic(1, 9).at(region.rkey(), region.address()).swapMasked(5, -1, 0x77, 0));
        assertEquals(RawSegment.atomicResponse(1, 9, 5), peer.next());
        assertEquals(5, region.memory().get(ValueLayout.JAVA_LONG, 0));
        peer.send(RawSegment.atomic(2, 10).at(region.rkey(), region.address()).swapMasked(5, -1, 0x77, 0xf0));
        assertEquals(RawSegment.atomicResponse(2, 10, 5), peer.next());
        assertEquals(0x75, region.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    /** A disconnect waits for the responses owed to the peer. */
    @Test
    void shouldAnswerBeforeADisconnectEnds() {
        open(LONG);
        requestLongRead();
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD));
        peer.run();
        assertEquals(QpState.SQD, peer.side.qp.state());
        List<String> frames = continueAndCollect();
        assertTrue(frames.getLast().startsWith("c142"), frames.getLast());
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertTrue(peer.stream.closed);
        assertEquals(List.of(), peer.side.events());
    }

    /** Messages take turns, and segments of two are never mixed: siw 6.1 accepts only some of the interleavings that DDP allows. */
    @Test
    void shouldNotMixRequestsIntoAResponse() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.maxUlpdu = 128;
        setup.sendNotBeforeNs = Deadline.NEVER;
        RawPeer late = new RawPeer(setup);
        MemoryRegion data = late.side.memory("y".repeat(300).getBytes());
        for (int i = 0; i < 2; i++) {
            late.side.qp.postSend(new SendRequest().send().element(data, 0, 300).signaled());
        }
        late.run();
        byte[] first = late.frame(RawPeer.bytes(RawSegment.read(1).into(1, 0).from(data.rkey(), data.address(), 300)));
        byte[] second = late.frame(RawPeer.bytes(RawSegment.read(2).into(2, 0).from(data.rkey(), data.address(), 300)));
        late.sendBytes(RawPeer.concat(first, second));
        // The first four digits say kind and Last; 300 bytes take three segments of either kind.
        assertEquals(List.of("8142", "8142", "c142", "0143", "0143", "4143", "8142", "8142", "c142", "0143", "0143", "4143"),
            late.rest().stream().map(frame -> frame.substring(0, 4)).toList());
    }
}
