// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A bounded ring of fixed-size records in native memory, between one poster at a time and the device's owner. Positions are sequence
 * numbers that only grow; record {@code s} lives at slot {@code s mod capacity}. The poster writes a record and then publishes it with
 * {@link #publish}; the owner consumes and gives slots back with {@link #release}.
 */
abstract class WorkRing {
    static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT;

    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            TAIL = MethodHandles.lookup().findVarHandle(WorkRing.class, "tail", long.class);
            HEAD = MethodHandles.lookup().findVarHandle(WorkRing.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final MemorySegment memory;
    final int maxElements;
    private final int capacity;
    private final long recordBytes;
    private long tail;
    private long head;

    /** @param capacity records; rounded up to a power of two */
    WorkRing(int capacity, int maxElements, long recordBytes) {
        this.capacity = capacity <= 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1;
        this.maxElements = maxElements;
        this.recordBytes = recordBytes;
        memory = Arena.ofAuto().allocate(this.capacity * recordBytes, 64);
    }

    public final int capacity() {
        return capacity;
    }

    public final int maxElements() {
        return maxElements;
    }

    /** Whether every slot is taken. Poster's side. */
    public final boolean isFull() {
        return tail - (long) HEAD.getAcquire(this) == capacity;
    }

    /** Sequence number the next posted record gets. Poster's side. */
    public final long next() {
        return tail;
    }

    /** Makes the record at {@link #next} visible to the owner. */
    public final void publish() {
        TAIL.setRelease(this, tail + 1);
    }

    /** Sequence number after the newest visible record. Owner's side. */
    public final long tail() {
        return (long) TAIL.getAcquire(this);
    }

    /** Sequence number of the oldest record not released. Owner's side. */
    public final long head() {
        return head;
    }

    /** Gives all slots before {@code sequence} back. Owner's side. */
    public final void release(long sequence) {
        HEAD.setRelease(this, sequence);
    }

    final long at(long sequence) {
        return (sequence & capacity - 1) * recordBytes;
    }
}
