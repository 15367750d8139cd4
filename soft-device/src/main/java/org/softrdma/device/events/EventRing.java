// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import java.util.function.Supplier;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Track;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/**
 * The last events of one end, in a ring of slots of {@value #SLOT} longs. It begins small, and doubles as far as its {@link EventRings}
 * allow; from then on the oldest event is overwritten, and nothing is allocated any more. Written by the device's owner.
 *
 * <pre>
 *   long 0   time of the round
 *   long 1   kind (7) | bits (8) | opcode (8) | PSN (24) | length (17)       of a packet
 *            kind (7) | number of values (8) | code of the reason (16)       of other events, as far as they have them
 *   long 2   wr_id, or the first value
 *   long 3   place in the work request, or the second value
 *   long 4   headers behind the basic one, or the third value
 *   long 5   headers, or the fourth value
 * </pre>
 *
 * Longer headers, and further values, take a second slot, of kind {@link #MORE}.
 */
public final class EventRing implements QueuePairObserver {
    static final int SLOT = 6;
    static final int TIME = 0;
    static final int META = 1;
    static final int VALUES = 2;

    static final int MORE = 0;
    static final int SENT = 1;
    static final int RECEIVED = 2;
    static final int STATE = 3;
    static final int POSTED = 4;
    static final int SEND_COMPLETED = 5;
    static final int RECEIVE_COMPLETED = 6;
    static final int FLUSHED = 7;
    static final int RAISED = 8;
    /** And the ordinal of the effect. */
    static final int OCCURRED = 16;

    private static final int KIND_SHIFT = 57;
    private static final int BITS_SHIFT = 49;
    private static final int OPCODE_SHIFT = 41;
    private static final int PSN_SHIFT = 17;
    /** Packets that stay in memory have 64 KiB of payload, besides their headers. */
    private static final int LENGTH_MASK = (1 << PSN_SHIFT) - 1;
    private static final long[] NO_SLOTS = {};

    private final EventRings rings;
    private final Supplier<Track.Head> head;
    private long[] slots = NO_SLOTS;
    private int mask = -1;
    /** Number of the next slot. */
    private long next;
    /** Number of the next slot that the ring asks for more room for. */
    private long growAt;
    /** Number of the oldest slot when the ring grew last. */
    private long keptFrom;
    private long postedTail;

    /** @param head describes the end, whenever it is called with the owner's lock held */
    EventRing(EventRings rings, Supplier<Track.Head> head) {
        this.rings = rings;
        this.head = head;
    }

    /** Describes the end as it is now. */
    Track.Head head() {
        return head.get();
    }

    // ---- writing ----

    /** Begins the next slot and returns its offset. */
    private int begin(long meta) {
        if (next == growAt) {
            grow();
        }
        int at = (int) (next & mask) * SLOT;
        long[] into = slots;
        into[at + TIME] = rings.nowNs();
        into[at + META] = meta;
        return at;
    }

    /** Takes more slots if the device has room for them now; if not, asks again when all slots were overwritten once more. */
    private void grow() {
        int size = rings.grant(mask + 1);
        if (size > mask + 1) {
            long[] larger = new long[size * SLOT];
            for (long slot = oldest(); slot < next; slot++) {
                System.arraycopy(slots, (int) (slot & mask) * SLOT, larger, (int) (slot & size - 1) * SLOT, SLOT);
            }
            keptFrom = oldest();
            slots = larger;
            mask = size - 1;
            growAt = keptFrom + size;
        } else {
            growAt = next + size;
        }
    }

    private void end(int at) {
        next++;
        EventCollector collector = rings.collector();
        if (collector != null) {
            collector.add(this, slots, at);
        }
    }

    private void write(long meta, long value1, long value2, long value3, long value4) {
        int at = begin(meta);
        long[] into = slots;
        into[at + VALUES] = value1;
        into[at + VALUES + 1] = value2;
        into[at + VALUES + 2] = value3;
        into[at + VALUES + 3] = value4;
        end(at);
    }

    @Override
    public void packet(boolean sent, int opcode, int bits, int psn, int length, long wrId, long place, long header1, long header2) {
        write((long) (sent ? SENT : RECEIVED) << KIND_SHIFT | (long) bits << BITS_SHIFT | (long) opcode << OPCODE_SHIFT
            | (long) psn << PSN_SHIFT | length, wrId, place, header1, header2);
    }

    @Override
    public void moreHeaders(long header3, long header4, long header5, long header6) {
        write(MORE, header3, header4, header5, header6);
    }

    @Override
    public void posted(long tail) {
        if (tail != postedTail) {
            write((long) POSTED << KIND_SHIFT, tail - postedTail, 0, 0, 0);
            postedTail = tail;
        }
    }

    @Override
    public void completed(boolean send, long wrId, WcStatus status, WcOpcode opcode, int bytes, Reason reason) {
        write((long) (send ? SEND_COMPLETED : RECEIVE_COMPLETED) << KIND_SHIFT | (reason == null ? 0 : reason.code()), wrId,
            (long) status.ordinal() << 32 | opcode.ordinal(), bytes, 0);
    }

    @Override
    public void stateChanged(QpState from, QpState to) {
        write((long) STATE << KIND_SHIFT, from.ordinal(), to.ordinal(), 0, 0);
        if (ProfileEvent.isWanted()) {
            ProfileEvent.report(this, "state", from + " > " + to);
        }
    }

    @Override
    public void flushed(int requests) {
        write((long) FLUSHED << KIND_SHIFT, requests, 0, 0, 0);
    }

    @Override
    public void raised(AsyncEventType type) {
        write((long) RAISED << KIND_SHIFT, type.ordinal(), 0, 0, 0);
        if (ProfileEvent.isWanted()) {
            ProfileEvent.report(this, "raised", type.name());
        }
    }

    @Override
    public void occurred(RecordedEvent.Effect effect, Reason reason, long value1, long value2, long value3) {
        write(meta(effect, reason, 3), value1, value2, value3, 0);
        if (ProfileEvent.isWanted()) {
            ProfileEvent.report(this, effect, Failure.of(reason, value1, value2, value3));
        }
    }

    @Override
    public void failed(RecordedEvent.Effect effect, Failure failure) {
        int count = Math.min(failure.valueCount(), 8);
        long[] values = new long[8];
        for (int i = 0; i < count; i++) {
            values[i] = failure.value(i);
        }
        write(meta(effect, failure.reason(), count), values[0], values[1], values[2], values[3]);
        if (count > 4) {
            write(MORE, values[4], values[5], values[6], values[7]);
        }
        if (ProfileEvent.isWanted()) {
            ProfileEvent.report(this, effect, failure);
        }
    }

    private static long meta(RecordedEvent.Effect effect, Reason reason, int values) {
        return (long) (OCCURRED + effect.ordinal()) << KIND_SHIFT | (long) values << 16 | reason.code();
    }

    // ---- reading ----

    static int kind(long meta) {
        return (int) (meta >>> KIND_SHIFT);
    }

    static int bits(long meta) {
        return (int) (meta >>> BITS_SHIFT) & 0xff;
    }

    static int opcode(long meta) {
        return (int) (meta >>> OPCODE_SHIFT) & 0xff;
    }

    static int psn(long meta) {
        return (int) (meta >>> PSN_SHIFT) & 0xffffff;
    }

    static int length(long meta) {
        return (int) meta & LENGTH_MASK;
    }

    /** Code of a reason, for all kinds that have one. */
    static int reasonCode(long meta) {
        return (int) meta & 0xffff;
    }

    /** Number of values of an occurrence. */
    static int valueCount(long meta) {
        return (int) (meta >>> 16) & 0xff;
    }

    /** Number of slots that were written; those before {@link #oldest} have been overwritten. */
    long written() {
        return next;
    }

    /** Number of the oldest slot. */
    long oldest() {
        return Math.max(keptFrom, next - mask - 1);
    }

    /** Copies all slots, the oldest first. */
    long[] copy() {
        long from = oldest();
        long[] copy = new long[(int) (next - from) * SLOT];
        for (long slot = from; slot < next; slot++) {
            System.arraycopy(slots, (int) (slot & mask) * SLOT, copy, (int) (slot - from) * SLOT, SLOT);
        }
        return copy;
    }

    /** Number of slots that it has. */
    int size() {
        return mask + 1;
    }

    /** Bytes of memory that the slots take. */
    long bytes() {
        return (long) slots.length * Long.BYTES;
    }
}
