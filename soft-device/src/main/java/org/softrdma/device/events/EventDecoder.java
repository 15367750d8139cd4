// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Track;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Turns copied slots into events. */
public final class EventDecoder {
    private static final QpState[] STATES = QpState.values();
    private static final WcStatus[] STATUSES = WcStatus.values();
    private static final WcOpcode[] OPCODES = WcOpcode.values();
    private static final AsyncEventType[] TYPES = AsyncEventType.values();
    private static final RecordedEvent.Effect[] EFFECTS = RecordedEvent.Effect.values();

    private final EventCopy copy;
    private final PacketDecoder packets;
    private final long[] slots;
    private final long offsetNs;
    private final List<RecordedEvent> events = new ArrayList<>();
    /** Reason of the last time that sending went back. */
    private Reason repeats;

    private EventDecoder(EventCopy copy, PacketDecoder packets, long offsetNs) {
        this.copy = copy;
        this.packets = packets;
        this.offsetNs = offsetNs;
        slots = copy.slots();
    }

    /**
     * Decodes the slots of an end. The number of an event is that of its first slot.
     *
     * @param offsetNs added to all times
     */
    public static Track decode(EventCopy copy, PacketDecoder packets, long offsetNs) {
        EventDecoder decoder = new EventDecoder(copy, packets, offsetNs);
        for (int at = 0; at < copy.slots().length; at += EventRing.SLOT) {
            decoder.decode(at);
        }
        return new Track(copy.head(), copy.first(), decoder.events);
    }

    private void decode(int at) {
        long number = copy.first() + at / EventRing.SLOT;
        long timeNs = slots[at + EventRing.TIME] + offsetNs;
        long meta = slots[at + EventRing.META];
        long value = slots[at + EventRing.VALUES];
        int kind = EventRing.kind(meta);
        switch (kind) {
            // The first slot of its event was overwritten, or the event has taken it already.
            case EventRing.MORE -> { }
            case EventRing.SENT, EventRing.RECEIVED -> events.add(packet(number, timeNs, at, meta, kind == EventRing.SENT));
            case EventRing.STATE -> events.add(new RecordedEvent.StateChange(number, timeNs, STATES[(int) value].toString(),
                STATES[(int) slots[at + EventRing.VALUES + 1]].toString()));
            case EventRing.POSTED -> events.add(new RecordedEvent.Posted(number, timeNs, (int) value));
            case EventRing.SEND_COMPLETED, EventRing.RECEIVE_COMPLETED -> events.add(completed(number, timeNs, at, meta));
            case EventRing.FLUSHED -> events.add(new RecordedEvent.Flushed(number, timeNs, (int) value));
            case EventRing.RAISED -> events.add(new RecordedEvent.Raised(number, timeNs, TYPES[(int) value]));
            default -> events.add(occurrence(number, timeNs, at, meta, EFFECTS[kind - EventRing.OCCURRED]));
        }
    }

    private RecordedEvent packet(long number, long timeNs, int at, long meta, boolean sent) {
        long place = slots[at + EventRing.VALUES + 1];
        boolean again = (EventRing.bits(meta) & QueuePairObserver.AGAIN) != 0;
        long[] words = hasMore(at) ? concat(at + EventRing.VALUES + 2, 2) : Arrays.copyOfRange(slots, at + EventRing.VALUES + 2,
            at + EventRing.VALUES + 4);
        PacketDecoder.Decoded packet = packets.decode(copy.head(), sent, EventRing.opcode(meta),
            EventRing.bits(meta) & ~QueuePairObserver.AGAIN, EventRing.psn(meta), EventRing.length(meta), words);
        RecordedEvent.Work work = place == 0 ? null
            : new RecordedEvent.Work(slots[at + EventRing.VALUES], (int) (place >>> 32), (int) place);
        return new RecordedEvent.Packet(number, timeNs, sent, packet.headers(), EventRing.length(meta), packet.remote(), packet.lid(), work,
            again, again ? repeats : null, List.of());
    }

    private boolean hasMore(int at) {
        int next = at + EventRing.SLOT;
        return next < slots.length && EventRing.kind(slots[next + EventRing.META]) == EventRing.MORE;
    }

    /** Returns values of a slot, and all of the slot after it. */
    private long[] concat(int from, int count) {
        long[] all = Arrays.copyOfRange(slots, from, from + count + 4);
        System.arraycopy(slots, from + count + EventRing.VALUES, all, count, 4);
        return all;
    }

    private RecordedEvent completed(long number, long timeNs, int at, long meta) {
        long outcome = slots[at + EventRing.VALUES + 1];
        return new RecordedEvent.Completed(number, timeNs, EventRing.kind(meta) == EventRing.SEND_COMPLETED, slots[at + EventRing.VALUES],
            STATUSES[(int) (outcome >>> 32)], OPCODES[(int) outcome], (int) slots[at + EventRing.VALUES + 2],
            Reason.of(EventRing.reasonCode(meta)));
    }

    private RecordedEvent occurrence(long number, long timeNs, int at, long meta, RecordedEvent.Effect effect) {
        Reason reason = Reason.of(EventRing.reasonCode(meta));
        if (effect == RecordedEvent.Effect.REPEATS) {
            repeats = reason;
        }
        int from = at + EventRing.VALUES;
        long[] values = hasMore(at) ? concat(from, 4) : Arrays.copyOfRange(slots, from, from + 4);
        int count = Math.min(Math.min(EventRing.valueCount(meta), reason.text().values().size()), values.length);
        return new RecordedEvent.Occurrence(number, timeNs, effect, Failure.of(reason, Arrays.copyOf(values, count)));
    }
}
