// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A bounded ring of fixed-size records, between one poster at a time and the device's owner. Positions are sequence
 * numbers that only grow; record {@code s} is stored in slot {@code s mod capacity}. The poster writes a record and then publishes it with
 * {@link #publish}, or several with {@link #stage} and {@link #publishStaged}; the owner consumes records and frees their slots with
 * {@link #release}.
 */
public abstract class WorkRing {
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

    static final int ELEMENT_BYTES = 16;

    final RecordMemory memory;
    private final int capacity;
    private final int maxElements;
    private final int elementCount;
    private final int elements;
    private final int recordBytes;
    private long tail;
    private long head;
    /** Number of records written and not visible yet. Poster's side. */
    private long staged;

    /**
     * Creates an empty ring.
     *
     * @param capacity     records; rounded up to a power of two
     * @param maxElements  maximum number of scatter/gather elements of a record
     * @param elementCount offset in a record of the number of its scatter/gather elements, 4 bytes
     * @param elements     offset in a record of its elements: address 8, length 4, lkey 4 bytes each
     * @param atLeastBytes minimum number of bytes from there to the end of a record
     */
    WorkRing(int capacity, int maxElements, int elementCount, int elements, int atLeastBytes) {
        this.capacity = capacity <= 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1;
        this.maxElements = maxElements;
        this.elementCount = elementCount;
        this.elements = elements;
        recordBytes = elements + (Math.max(maxElements * ELEMENT_BYTES, atLeastBytes) + 7 & ~7);
        memory = new RecordMemory(this.capacity, recordBytes);
    }

    /** Returns the number of slots in memory, a power of two. */
    protected final int capacity() {
        return capacity;
    }

    public final int maxElements() {
        return maxElements;
    }

    /** Returns the number of records that fit. */
    public int slots() {
        return capacity;
    }

    /** Returns whether every slot is in use. Poster's side. */
    public boolean isFull() {
        return occupied() == capacity;
    }

    /** Returns the number of records that are written and not released. Poster's side. */
    protected final long occupied() {
        return next() - (long) HEAD.getAcquire(this);
    }

    /** Returns whether every posted record was released. Poster's side. */
    public final boolean isEmpty() {
        return tail == (long) HEAD.getAcquire(this);
    }

    /** Returns the sequence number of the next record to be written. Poster's side. */
    public final long next() {
        return tail + staged;
    }

    /** Makes the record at {@link #next} visible to the owner; none may be staged. Poster's side. */
    public void publish() {
        TAIL.setRelease(this, tail + 1);
    }

    /** Advances to the next record; the one just written stays invisible to the owner. Poster's side. */
    public void stage() {
        staged++;
    }

    /** Makes all staged records visible to the owner at once. Poster's side. */
    public final void publishStaged() {
        long end = next();
        staged = 0;
        TAIL.setRelease(this, end);
    }

    /** Discards all staged records. Poster's side. */
    public void discardStaged() {
        staged = 0;
    }

    /** Returns the sequence number after the newest visible record. Owner's side. */
    public final long tail() {
        return (long) TAIL.getAcquire(this);
    }

    /** Returns the sequence number of the oldest record that is not released. Owner's side. */
    public final long head() {
        return head;
    }

    /** Frees the slots of all records before {@code sequence}. Owner's side. */
    public void release(long sequence) {
        HEAD.setRelease(this, sequence);
    }

    /** Returns the number of scatter/gather elements of a record. */
    public final int elements(long sequence) {
        return memory.u32(at(sequence) + elementCount);
    }

    public final long elementAddress(long sequence, int element) {
        return memory.u64(element(sequence, element));
    }

    /**
     * Length of an element.
     *
     * @return bytes, u32
     */
    public final long elementLength(long sequence, int element) {
        return Integer.toUnsignedLong(memory.u32(element(sequence, element) + 8));
    }

    public final int elementLkey(long sequence, int element) {
        return memory.u32(element(sequence, element) + 12);
    }

    final void setElements(int count) {
        memory.u32(at(next()) + elementCount, count);
    }

    /**
     * Writes one element of the record at {@link #next()}.
     *
     * @return length of the element in bytes, u32
     */
    final long setElement(int element, long address, int length, int lkey) {
        int at = element(next(), element);
        memory.u64(at, address);
        memory.u32(at + 8, length);
        memory.u32(at + 12, lkey);
        return Integer.toUnsignedLong(length);
    }

    private int element(long sequence, int element) {
        return at(sequence) + elements + element * ELEMENT_BYTES;
    }

    final int slot(long sequence) {
        return (int) sequence & capacity - 1;
    }

    /** Returns the offset of a record in {@link #memory}. */
    final int at(long sequence) {
        return slot(sequence) * recordBytes;
    }
}
