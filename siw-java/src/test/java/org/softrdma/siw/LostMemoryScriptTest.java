// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * Registered memory that is deregistered, or freed without that, under posted work requests and under the peer's WRITEs. The work request
 * completes with LOC_PROT_ERR, the peer receives a Terminate, and no byte that was not in the memory is sent.
 */
class LostMemoryScriptTest {
    /** More than the send buffer holds, so that most of a message waits while the peer reads nothing. */
    private static final int LONG = 3 * SiwConnection.SEND_BUFFER_BYTES;

    private final RawPeer peer = new RawPeer();
    private final Arena arena = Arena.ofShared();

    private MemoryRegion open(long bytes) {
        return peer.side.pd.register(arena.allocate(bytes, 64).fill((byte) 'x'), SiwPair.ALL_REMOTE);
    }

    /** Deregisters the memory, or frees it under its region. */
    private void lose(MemoryRegion region, boolean freed) {
        if (freed) {
            arena.close();
        } else {
            region.close();
        }
    }

    private void assertEndedLocally(AsyncEventType... events) {
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertTrue(peer.stream.closed);
        assertEquals(List.of(events), peer.side.events());
        assertEquals(1, peer.side.counter("local_errors"));
        assertEquals(1, peer.side.counter("sent_terminates"));
        assertEquals(0, peer.side.counter("bad_access") + peer.side.counter("bad_segment"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFailAWriteWhoseMemoryGoesBetweenItsSegments(boolean freed) {
        MemoryRegion region = open(LONG);
        peer.stream.room = 0;
        peer.side.qp.postSend(new SendRequest().write(0x2000, 7).wrId(1).element(region, 0, LONG).signaled());
        peer.side.qp.postSend(new SendRequest().send().wrId(2).signaled());
        peer.run();
        lose(region, freed);
        peer.stream.room = Integer.MAX_VALUE;
        peer.sendBytes(new byte[0]);
        List<String> frames = peer.rest();
        assertEquals(RawSegment.terminate(0x0000), frames.getLast());
        int sent = 0;
        for (String frame : frames.subList(0, frames.size() - 1)) {
            String payload = frame.substring(2 * 14);
            assertEquals(RawSegment.tagged(RawSegment.WRITE, 7, 0x2000 + sent).more().with("78".repeat(payload.length() / 2)), frame);
            sent += payload.length() / 2;
        }
        assertTrue(sent > 0 && sent <= SiwConnection.SEND_BUFFER_BYTES, sent + " bytes, those written before");
        assertEquals(frames.size() - 1, peer.side.counter("sent_fpdus"), "all but the Terminate");
        assertEquals(List.of(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
        assertEndedLocally();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFailAReadWhoseSinkIsGone(boolean freed) {
        MemoryRegion sink = open(64);
        int lkey = sink.lkey();
        long address = sink.address();
        peer.side.qp.postSend(new SendRequest().read(0x9000, 0x77).wrId(1).element(sink, 0, 4).signaled());
        peer.side.qp.postSend(new SendRequest().send().wrId(2).signaled());
        assertEquals(2, peer.rest().size());
        lose(sink, freed);
        String response = RawSegment.readResponse(lkey, address, "61626364");
        peer.send(response);
        assertEquals(RawSegment.terminate(0x1000, response), peer.next());
        assertNull(peer.next());
        assertEquals(List.of(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
        assertEndedLocally(AsyncEventType.QP_FATAL);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFailAnAtomicWhoseResultCannotBeStored(boolean freed) {
        MemoryRegion sink = open(64);
        peer.side.qp.postSend(new SendRequest().fetchAndAdd(0x9000, 0x77, 1).wrId(1).element(sink, 0, 8).signaled());
        peer.side.qp.postSend(new SendRequest().send().wrId(2).signaled());
        assertEquals(2, peer.rest().size());
        lose(sink, freed);
        String response = RawSegment.atomicResponse(1, 1, 5);
        peer.send(response);
        assertEquals(RawSegment.terminate(0x1000, response), peer.next());
        assertNull(peer.next());
        assertEquals(List.of(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
        assertEndedLocally(AsyncEventType.QP_FATAL);
    }

    @Test
    void shouldTerminateAWriteToFreedMemory() {
        MemoryRegion region = open(64);
        String write = RawSegment.write(region.rkey(), region.address(), "61626364");
        arena.close();
        peer.send(write);
        assertEquals(RawSegment.terminate(0x1100, write), peer.next());
        assertNull(peer.next());
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertTrue(peer.stream.closed);
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), peer.side.events());
        assertEquals(1, peer.side.counter("bad_access"));
        assertEquals(1, peer.side.counter("memory_gone"));
    }

    /** The first segment of the SEND was placed; the second one finds no memory. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFailAReceiveWhoseMemoryGoesBetweenTheSegmentsOfASend(boolean freed) {
        MemoryRegion region = open(64);
        peer.side.qp.postReceive(new ReceiveRequest().begin(1).element(region, 0, 64));
        peer.side.qp.postReceive(new ReceiveRequest().begin(2).element(peer.side.memory(8, AccessFlags.LOCAL_WRITE), 0, 8));
        peer.send(RawSegment.untagged(RawSegment.SEND, 1).more().with("61626364"));
        assertEquals(0x64636261, region.memory().get(ValueLayout.JAVA_INT, 0));
        lose(region, freed);
        String second = RawSegment.untagged(RawSegment.SEND, 1).offset(4).with("65666768");
        peer.send(second);
        assertEquals(RawSegment.terminate(0x1000, second), peer.next());
        assertNull(peer.next());
        assertEquals(List.of(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR), peer.side.receiveStatuses());
        assertEndedLocally(AsyncEventType.QP_FATAL);
    }
}
