// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Track;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

class EventRingTest {
    private static final Track.Head HEAD = new Track.Head(Track.Kind.QUEUE_PAIR, "d0", 1, Track.Protocol.ROCE_V2, 0x11, "RC", "RTS", 0x12,
        null, null, 0, 0, 0);

    private long nowNs = 5;
    /** Headers are the words, after opcode and bits. */
    private final EventRings rings = new EventRings(() -> nowNs, (head, sent, opcode, bits, psn, length, words) -> {
        ByteBuffer bytes = ByteBuffer.allocate(2 + words.length * Long.BYTES).put((byte) opcode).put((byte) bits);
        for (long word : words) {
            bytes.putLong(word);
        }
        return new PacketDecoder.Decoded(bytes.array());
    });
    private final EventRing ring = (EventRing) rings.add(() -> HEAD);

    private Track track() {
        List<EventCopy> copies = rings.copy();
        assertEquals(1, copies.size());
        return EventDecoder.decode(copies.getFirst(), rings.packets(), 1000);
    }

    @Test
    void shouldReturnEachKindOfEventAsItWasReported() {
        ring.stateChanged(QpState.RTR, QpState.RTS);
        ring.posted(3);
        nowNs = 6;
        ring.packet(true, 0x06, 0x45, 0xfffffe, 1056, 7, 1L << 32 | 2, 0x1122, 0x3344);
        ring.moreHeaders(1, 2, 3, 4);
        ring.packet(false, 0xff, 0, 0, 65535, 0, 0, -1, -2);
        ring.occurred(RecordedEvent.Effect.REPEATS, Reason.SEQUENCE_NAK, 99, 98, 97);
        ring.packet(true, 0x06, QueuePairObserver.AGAIN, 1, 20, -1, 1L << 32 | 2, 0, 0);
        ring.completed(true, -1, WcStatus.REM_ACCESS_ERR, WcOpcode.RDMA_READ, -1, Reason.NAK_REMOTE_ACCESS);
        ring.completed(false, 8, WcStatus.SUCCESS, WcOpcode.RECV_RDMA_WITH_IMM, 5, null);
        ring.failed(RecordedEvent.Effect.FAILED, Failure.of(Reason.RKEY_RANGE, 1, 2, 3, 4, 5, 6));
        ring.flushed(4);
        ring.raised(AsyncEventType.QP_FATAL);
        List<RecordedEvent> events = track().events();
        assertEquals(new RecordedEvent.StateChange(0, 1005, "RTR", "RTS"), events.get(0));
        assertEquals(new RecordedEvent.Posted(1, 1005, 3), events.get(1));
        RecordedEvent.Packet first = (RecordedEvent.Packet) events.get(2);
        assertEquals(2, first.number());
        assertEquals(1006, first.timeNs());
        assertTrue(first.sent());
        assertFalse(first.again());
        assertEquals(1056, first.length());
        assertEquals(new RecordedEvent.Work(7, 1, 2), first.work());
        assertArrayEquals(ByteBuffer.allocate(50).put((byte) 6).put((byte) 0x45).putLong(0x1122).putLong(0x3344).putLong(1).putLong(2)
            .putLong(3).putLong(4).array(), first.headers());
        RecordedEvent.Packet received = (RecordedEvent.Packet) events.get(3);
        assertEquals(4, received.number(), "the second slot of a packet takes a number, too");
        assertEquals(65535, received.length());
        assertEquals(18, received.headers().length);
        assertEquals(null, received.work());
        assertEquals(new RecordedEvent.Occurrence(5, 1006, RecordedEvent.Effect.REPEATS, Failure.of(Reason.SEQUENCE_NAK, 99)),
            events.get(4), "a value that the sentence has no place for is left out");
        RecordedEvent.Packet again = (RecordedEvent.Packet) events.get(5);
        assertTrue(again.again());
        assertEquals(Reason.SEQUENCE_NAK, again.because());
        assertEquals(-1, again.work().wrId());
        assertEquals(0, again.headers()[1], "the mark of a repetition is not the transport's");
        assertEquals(new RecordedEvent.Completed(7, 1006, true, -1, WcStatus.REM_ACCESS_ERR, WcOpcode.RDMA_READ, -1,
            Reason.NAK_REMOTE_ACCESS), events.get(6));
        assertEquals(new RecordedEvent.Completed(8, 1006, false, 8, WcStatus.SUCCESS, WcOpcode.RECV_RDMA_WITH_IMM, 5, null),
            events.get(7));
        assertEquals(new RecordedEvent.Occurrence(9, 1006, RecordedEvent.Effect.FAILED, Failure.of(Reason.RKEY_RANGE, 1, 2, 3, 4, 5, 6)),
            events.get(8));
        assertEquals(new RecordedEvent.Flushed(11, 1006, 4), events.get(9));
        assertEquals(new RecordedEvent.Raised(12, 1006, AsyncEventType.QP_FATAL), events.get(10));
        assertEquals(11, events.size());
    }

    /** A packet between two queue pairs of one device has up to 64 KiB of payload: BTH, RETH and ICRC come on top. */
    @Test
    void shouldKeepOpcodePsnAndLengthOfPacketsLongerThanSixtyFourKibibytes() {
        long[] seen = new long[5];
        EventRings others = new EventRings(() -> nowNs, (head, sent, opcode, bits, psn, length, words) -> {
            seen[0]++;
            seen[1] = opcode;
            seen[2] = bits;
            seen[3] = psn;
            seen[4] = length;
            return new PacketDecoder.Decoded(new byte[0]);
        });
        EventRing own = (EventRing) others.add(() -> HEAD);
        own.packet(true, 0x0a, 0x7f, 0xfffffe, 12 + 16 + 65_536 + 4, 1, 1L << 32 | 1, 0, 0);
        Track track = EventDecoder.decode(others.copy().getFirst(), others.packets(), 0);
        assertArrayEquals(new long[] {1, 0x0a, 0x7f, 0xfffffe, 65_568}, seen);
        assertEquals(65_568, ((RecordedEvent.Packet) track.events().getFirst()).length());
    }

    @Test
    void shouldReportPostedWorkRequestsOnce() {
        ring.posted(3);
        ring.posted(3);
        ring.posted(5);
        assertEquals(List.of(new RecordedEvent.Posted(0, 1005, 3), new RecordedEvent.Posted(1, 1005, 2)), track().events());
    }

    @Test
    void shouldKeepTheLastEventsInBoundedMemory() {
        for (int i = 0; i < 1000; i++) {
            ring.flushed(i + 1);
        }
        Track track = track();
        assertEquals(744, track.missed());
        assertEquals(256, track.events().size());
        assertEquals(new RecordedEvent.Flushed(744, 1005, 745), track.events().getFirst());
        assertEquals(new RecordedEvent.Flushed(999, 1005, 1000), track.events().getLast());
        assertEquals(256 * 48, rings.bytes());
    }

    @Test
    void shouldBeginSmall() {
        assertEquals(0, rings.bytes());
        ring.flushed(1);
        assertEquals(16 * 48, rings.bytes());
        for (int i = 0; i < 16; i++) {
            ring.flushed(1);
        }
        assertEquals(32 * 48, rings.bytes());
        assertEquals(17, track().events().size());
    }

    /** 64 full rings are the device's room; a ring that found none grows once there is some, and keeps what it had. */
    @Test
    void shouldShareTheRoomOfADevice() {
        List<EventRing> busy = new ArrayList<>();
        for (int i = 0; i < EventRings.FULL_RINGS; i++) {
            EventRing each = (EventRing) rings.add(() -> HEAD);
            for (int event = 0; event < 1000; event++) {
                each.raised(AsyncEventType.QP_FATAL);
            }
            busy.add(each);
        }
        for (int i = 0; i < 100; i++) {
            ring.flushed(i + 1);
        }
        assertEquals((64 * 256 + 16) * 48, rings.bytes());
        assertEquals(84, ring.oldest());
        rings.remove(busy.getFirst());
        for (int i = 100; i < 120; i++) {
            ring.flushed(i + 1);
        }
        assertEquals((63 * 256 + 32) * 48, rings.bytes());
        for (EventRing each : busy) {
            rings.remove(each);
        }
        assertEquals(numbers(96, 120), track().events(), "16 from before it grew, and 8 since");
        for (int i = 120; i < 2000; i++) {
            ring.flushed(i + 1);
        }
        assertEquals(numbers(1744, 2000), track().events());
        assertEquals(256 * 48, rings.bytes());
    }

    private static List<RecordedEvent> numbers(int from, int until) {
        return IntStream.range(from, until).<RecordedEvent>mapToObj(i -> new RecordedEvent.Flushed(i, 1005, i + 1)).toList();
    }

    /** The ring may begin with the second slot of an event: that event is lost as a whole. */
    @Test
    void shouldLeaveOutAnEventWhoseBeginningWasOverwritten() {
        ring.packet(true, 6, 0, 0, 20, 1, 1L << 32 | 1, 0, 0);
        ring.moreHeaders(1, 2, 3, 4);
        for (int i = 0; i < 255; i++) {
            ring.flushed(i + 1);
        }
        Track track = track();
        assertEquals(255, track.events().size());
        assertEquals(new RecordedEvent.Flushed(2, 1005, 1), track.events().getFirst());
    }

    @Test
    void shouldCollectMoreThanARingHolds() {
        ring.flushed(1);
        EventCollector collector = new EventCollector(500);
        assertTrue(rings.collectIn(collector));
        assertFalse(rings.collectIn(new EventCollector(1)), "one at a time");
        for (int i = 0; i < 1000; i++) {
            ring.flushed(i + 2);
        }
        Track collected = EventDecoder.decode(collector.copy().getFirst(), rings.packets(), 0);
        assertEquals(500, collected.events().size());
        assertEquals(new RecordedEvent.Flushed(1, 5, 2), collected.events().getFirst());
        rings.stopCollecting(collector);
        assertTrue(rings.collectIn(new EventCollector(1)));
    }

    @Test
    void shouldRecordNothingIfSwitchedOff() {
        EventRings off = new EventRings(() -> 0, rings.packets());
        off.slots(0);
        QueuePairObserver observer = off.add(() -> HEAD);
        assertSame(QueuePairObserver.NONE, observer);
        observer.flushed(1);
        assertEquals(List.of(), off.copy());
        assertEquals(0, off.bytes());
    }

    @Test
    void shouldForgetARemovedEnd() {
        ring.flushed(1);
        rings.remove(ring);
        assertEquals(List.of(), rings.copy());
    }
}
