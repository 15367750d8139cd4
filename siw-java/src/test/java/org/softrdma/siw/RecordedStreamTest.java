// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.RecordedEvent.Effect;
import org.softrdma.recording.RecordedEvent.Work;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** The flight recorder of a stream: each segment with its headers and its work request, and why a request of the peer was refused. */
class RecordedStreamTest {
    /** Of headers and bodies the recorder keeps the two control bytes and 48 more. */
    private static final int KEPT_BYTES = 50;
    private static final int TAGGED_BYTES = 14;
    private static final int UNTAGGED_BYTES = 18;
    private static final int SIZE = 256;
    private static final int UNKNOWN_KEY = 0x00123400;

    private RawPeer peer = new RawPeer();
    private MemoryRegion memory = open(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);

    private MemoryRegion open(int access) {
        return peer.side.memory(SIZE, access);
    }

    private void connect(SiwPair.Setup setup) {
        peer = new RawPeer(setup);
        memory = open(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);
    }

    /** A segment as it is to be recorded: direction, headers, length, work request. */
    private static String segment(boolean sent, String ulpdu, int headerBytes, Work work) {
        int bytes = ulpdu.length() / 2;
        return (sent ? "sent " : "received ") + ulpdu.substring(0, 2 * Math.min(Math.min(headerBytes, KEPT_BYTES), bytes)) + " of " + bytes
            + (work == null ? "" : ", " + work);
    }

    private List<String> recordedSegments() {
        List<String> segments = new ArrayList<>();
        for (RecordedEvent event : peer.recorded()) {
            if (event instanceof RecordedEvent.Packet packet) {
                segments.add((packet.sent() ? "sent " : "received ") + HexFormat.of().formatHex(packet.headers()) + " of " + packet.length()
                    + (packet.work() == null ? "" : ", " + packet.work()));
            }
        }
        return segments;
    }

    private void assertRefused(Failure why) {
        List<RecordedEvent.Occurrence> refusals = new ArrayList<>();
        for (RecordedEvent event : peer.recorded()) {
            if (event instanceof RecordedEvent.Occurrence occurrence && occurrence.effect() == Effect.REFUSED) {
                refusals.add(occurrence);
            }
        }
        assertEquals(why, refusals.getFirst().failure());
    }

    @Test
    void shouldRecordTheSegmentsOfAMessageWithTheirPlaces() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.maxUlpdu = 128;
        connect(setup);
        peer.side.qp.postSend(new SendRequest().write(0x1000, 0x77).wrId(7).element(memory, 0, 250).signaled());
        peer.side.qp.postSend(new SendRequest().send().wrId(8).element(memory, 0, 120).signaled());
        List<String> sent = peer.rest();
        assertEquals(5, sent.size());
        assertEquals(List.of(
            segment(true, sent.get(0), TAGGED_BYTES, new Work(7, 1, 0)),
            segment(true, sent.get(1), TAGGED_BYTES, new Work(7, 2, 0)),
            segment(true, sent.get(2), TAGGED_BYTES, new Work(7, 3, 0)),
            segment(true, sent.get(3), UNTAGGED_BYTES, new Work(8, 1, 0)),
            segment(true, sent.get(4), UNTAGGED_BYTES, new Work(8, 2, 0))), recordedSegments());
    }

    /** A READ and an atomic each way: the peer's responses belong to no work request of this end, and neither do the responses to it. */
    @Test
    void shouldRecordRequestsAndResponsesOfBothEnds() {
        peer.side.qp.postSend(new SendRequest().read(0x9000, 0x77).wrId(1).element(memory, 0, 4).signaled());
        peer.side.qp.postSend(new SendRequest().fetchAndAdd(0x9000, 0x77, 1).wrId(2).element(memory, 8, 8).signaled());
        List<String> requests = peer.rest();
        List<String> received = List.of(
            RawSegment.readResponse(memory.lkey(), memory.address(), "61626364"),
            RawSegment.atomicResponse(1, 2, 5),
            RawSegment.read(1).into(0x88, 0x3000).from(memory.rkey(), memory.address(), 4),
            RawSegment.atomic(2, 9).at(memory.rkey(), memory.address() + 16).add(1));
        List<String> expected = new ArrayList<>(List.of(
            segment(true, requests.get(0), UNTAGGED_BYTES + 28, new Work(1, 1, 0)),
            segment(true, requests.get(1), UNTAGGED_BYTES + 52, new Work(2, 1, 0))));
        int[] headers = {TAGGED_BYTES, UNTAGGED_BYTES + 12, UNTAGGED_BYTES + 28, UNTAGGED_BYTES + 52};
        for (int i = 0; i < headers.length; i++) {
            peer.send(received.get(i));
            expected.add(segment(false, received.get(i), headers[i], null));
            for (String response : peer.rest()) {
                expected.add(segment(true, response, i == 2 ? TAGGED_BYTES : UNTAGGED_BYTES + 12, null));
            }
        }
        assertEquals(8, expected.size(), "two of our responses are among them");
        assertEquals(expected, recordedSegments());
    }

    /** The Terminate control field of 4 bytes is recorded, not the refused headers behind it. */
    @Test
    void shouldRecordTheTerminateThatItSends() {
        String refused = RawSegment.write(UNKNOWN_KEY, 0x1000, "61626364");
        peer.send(refused);
        String terminate = peer.rest().getFirst();
        assertEquals(List.of(segment(false, refused, TAGGED_BYTES, null), segment(true, terminate, UNTAGGED_BYTES + 4, null)),
            recordedSegments());
    }

    @Test
    void shouldSayWhyAWriteWasRefused() {
        peer.send(RawSegment.write(UNKNOWN_KEY, 0x1000, "61626364"));
        assertRefused(Failure.of(Reason.RKEY_UNKNOWN, UNKNOWN_KEY, WrOpcode.RDMA_WRITE.value(), 0x1000, 4));
    }

    /** The queue pair grants less than its memory. */
    @Test
    void shouldSayThatTheQueuePairGrantsNoWrite() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.access = AccessFlags.REMOTE_READ;
        connect(setup);
        peer.send(RawSegment.write(memory.rkey(), memory.address(), "61626364"));
        assertRefused(Failure.of(Reason.QP_ACCESS, AccessFlags.REMOTE_READ, WrOpcode.RDMA_WRITE.value(), AccessFlags.REMOTE_WRITE));
    }

    @Test
    void shouldSayWhyAReadWasRefused() {
        MemoryRegion writable = open(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
        peer.send(RawSegment.read(1).into(0x88, 0x3000).from(writable.rkey(), writable.address(), 4));
        assertRefused(Failure.of(Reason.RKEY_ACCESS, writable.rkey(), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE,
            WrOpcode.RDMA_READ.value(), AccessFlags.REMOTE_READ));
    }

    @Test
    void shouldSayWhyAtomicsWereRefused() {
        long behind = memory.address() + SIZE;
        peer.send(RawSegment.atomic(1, 9).at(memory.rkey(), behind).add(1));
        assertRefused(outOfRange(WrOpcode.ATOMIC_FETCH_AND_ADD, behind));

        connect(new SiwPair.Setup());
        behind = memory.address() + SIZE;
        peer.send(RawSegment.atomic(1, 9).at(memory.rkey(), behind).swap(1, 2));
        assertRefused(outOfRange(WrOpcode.ATOMIC_CMP_AND_SWP, behind));
    }

    private Failure outOfRange(WrOpcode operation, long address) {
        return Failure.of(Reason.RKEY_RANGE, memory.rkey(), memory.address(), SIZE, operation.value(), address, 8);
    }

    /** The first segment of the response is in the send buffer when the memory goes: the rest is what is refused. */
    @Test
    void shouldSayWhichBytesOfAReadWereRefused() {
        int bytes = 3 * SiwConnection.SEND_BUFFER_BYTES;
        MemoryRegion source = peer.side.memory(bytes, AccessFlags.REMOTE_READ);
        int rkey = source.rkey();
        long address = source.address();
        peer.stream.room = 0;
        peer.send(RawSegment.read(1).into(0x88, 0x3000).from(rkey, address, bytes));
        source.close();
        peer.stream.room = Integer.MAX_VALUE;
        peer.sendBytes(new byte[0]);
        List<String> frames = peer.rest();
        long sent = 0;
        for (String frame : frames.subList(0, frames.size() - 1)) {
            sent += frame.length() / 2 - TAGGED_BYTES;
        }
        assertRefused(Failure.of(Reason.RKEY_UNKNOWN, rkey, WrOpcode.RDMA_READ.value(), address + sent, bytes - sent));
    }

    @Test
    void shouldSayHowLongTheMessageWasThatDidNotFit() {
        peer.side.qp.postReceive(new ReceiveRequest().begin(5).element(memory, 0, 6));
        peer.send(RawSegment.untagged(RawSegment.SEND, 1).more().with("61626364"));
        peer.send(RawSegment.untagged(RawSegment.SEND, 1).offset(4).with("61626364"));
        WorkCompletion failed = peer.side.receives().getFirst();
        assertEquals(WcStatus.LOC_LEN_ERR, failed.status());
        assertEquals(Failure.of(Reason.RECEIVE_TOO_SMALL, 8, 6), failed.explanation());
    }
}
