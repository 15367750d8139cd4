// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.softrdma.verbs.Gid;

/**
 * The sender's end of a {@link Ring}. Reads two fields that the receiver writes: a position that is impossible breaks the ring, nothing is
 * written outside of it. For the link's owner.
 */
final class RingWriter {
    private final MemorySegment ring;
    /** Bytes written since the beginning; a multiple of 8. */
    private long position;
    /** The receiver's position as read last: at most what it is now. */
    private long consumed;
    private boolean broken;

    /** @param ring the memory of a ring's file, that {@link #format} has prepared */
    RingWriter(MemorySegment ring) {
        this.ring = ring;
    }

    /** Prepares the memory of a new file, which is zero. */
    static void format(MemorySegment ring, Gid sender) {
        ring.set(ValueLayout.JAVA_LONG, Ring.SENDER_HIGH_AT, sender.high());
        ring.set(ValueLayout.JAVA_LONG, Ring.SENDER_LOW_AT, sender.low());
        Ring.put(ring, Ring.MAGIC_AT, Ring.MAGIC);
    }

    /** Whether the receiver reads the ring now. */
    boolean isRead() {
        long state = Ring.get(ring, Ring.STATE_AT);
        return !broken && (state == Ring.AWAKE || state == Ring.PARKED);
    }

    /** Whether the receiver refused or closed the ring, or its position is impossible. */
    boolean isOver() {
        return broken || Ring.get(ring, Ring.STATE_AT) == Ring.CLOSED;
    }

    boolean isBroken() {
        return broken;
    }

    /**
     * Writes a packet.
     *
     * @param header of {@link Ring#header}, with the packet's length
     * @param from   memory with the packet
     * @param offset of its BTH
     * @return false if there is no room
     */
    boolean offer(long header, MemorySegment from, long offset) {
        int length = Ring.length(header);
        int bytes = Ring.recordBytes(length);
        int index = (int) (position & Ring.INDEX_MASK);
        int toEnd = Ring.DATA_BYTES - index;
        int skipped = toEnd < bytes ? toEnd : 0;
        // The header behind the record is zero at any time.
        if (!hasRoom(skipped + bytes + Ring.HEADER_BYTES)) {
            return false;
        }
        long next = position + skipped + bytes;
        long at = Ring.DATA_AT + (position + skipped & Ring.INDEX_MASK);
        MemorySegment.copy(from, offset, ring, at + Ring.HEADER_BYTES, length);
        ring.set(ValueLayout.JAVA_LONG, Ring.DATA_AT + (next & Ring.INDEX_MASK), 0);
        Ring.put(ring, at, header);
        if (skipped > 0) {
            Ring.put(ring, Ring.DATA_AT + index, Ring.PADDING);
        }
        position = next;
        return true;
    }

    private boolean hasRoom(int bytes) {
        if (position + bytes - consumed <= Ring.DATA_BYTES) {
            return true;
        }
        long now = Ring.get(ring, Ring.CONSUMED_AT);
        if (now < consumed || now > position) {
            broken = true;
            return false;
        }
        consumed = now;
        return position + bytes - now <= Ring.DATA_BYTES;
    }

    /** The receiver's position when {@link #offer} last looked at it: it changes while the receiver reads. */
    long consumed() {
        return consumed;
    }

    /**
     * Looks, after packets were written, whether the receiver must be woken. Either it sees the packets before it parks, or this sees that
     * it is about to.
     */
    boolean mustWake() {
        VarHandle.fullFence();
        return Ring.get(ring, Ring.STATE_AT) == Ring.PARKED && Ring.changeState(ring, Ring.PARKED, Ring.AWAKE);
    }

    /** Marks the ring as one that gets no more packets. */
    void close() {
        Ring.put(ring, Ring.CLOSED_AT, 1);
    }
}
