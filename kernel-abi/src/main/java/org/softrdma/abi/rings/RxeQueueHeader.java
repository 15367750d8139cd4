// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Head of a ring of librxe; slots of a power of two bytes follow at {@link #DATA_OFFSET}, a power of two of them. The program produces work
 * requests and receives, and consumes completions. Equal indices mean empty; one slot always stays free.
 *
 * <p>The kernel's side writes size and mask before the program maps the ring and keeps copies of both: what it reads back can have been
 * changed. Indices are masked at every use.
 *
 * <p>Source: {@code struct rxe_queue_buf}.
 */
public final class RxeQueueHeader {
    /** Size in bytes. */
    public static final int BYTES = 384;
    /** u32. */
    public static final int LOG2_ELEM_SIZE_OFFSET = 0;
    /** u32. */
    public static final int INDEX_MASK_OFFSET = 4;
    /** u32, in a cache line of its own. */
    public static final int PRODUCER_INDEX_OFFSET = 128;
    /** u32, in a cache line of its own. */
    public static final int CONSUMER_INDEX_OFFSET = 256;
    /** First slot. */
    public static final int DATA_OFFSET = 384;

    private static final VarHandle INDEX = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private RxeQueueHeader() {
    }

    /** Size of a slot, as the logarithm of base 2. */
    public static int log2ElemSize(MemorySegment m, long at) {
        return m.get(U32, at + LOG2_ELEM_SIZE_OFFSET);
    }

    public static void log2ElemSize(MemorySegment m, long at, int value) {
        m.set(U32, at + LOG2_ELEM_SIZE_OFFSET, value);
    }

    /** Number of slots minus one. */
    public static int indexMask(MemorySegment m, long at) {
        return m.get(U32, at + INDEX_MASK_OFFSET);
    }

    public static void indexMask(MemorySegment m, long at, int value) {
        m.set(U32, at + INDEX_MASK_OFFSET, value);
    }

    /** Index of the slot written next, not masked; loads with acquire order, so that the slots before it can be read. */
    public static int producerIndex(MemorySegment m, long at) {
        return (int) INDEX.getAcquire(m, at + PRODUCER_INDEX_OFFSET);
    }

    /** Publishes the slots before the index: stores with release order. */
    public static void producerIndex(MemorySegment m, long at, int value) {
        INDEX.setRelease(m, at + PRODUCER_INDEX_OFFSET, value);
    }

    /** Index of the slot read next, not masked; loads with acquire order, so that the slots before it can be written again. */
    public static int consumerIndex(MemorySegment m, long at) {
        return (int) INDEX.getAcquire(m, at + CONSUMER_INDEX_OFFSET);
    }

    /** Hands the slots before the index back: stores with release order. */
    public static void consumerIndex(MemorySegment m, long at, int value) {
        INDEX.setRelease(m, at + CONSUMER_INDEX_OFFSET, value);
    }

    /**
     * Finds a slot.
     *
     * @param index any number; it is masked
     * @param log2ElemSize logarithm of a slot's bytes, the owner's copy
     * @param indexMask slots minus one, the owner's copy
     * @return address of the slot in the segment
     */
    public static long slot(long at, int index, int log2ElemSize, int indexMask) {
        return at + DATA_OFFSET + ((long) (index & indexMask) << log2ElemSize);
    }

    /** Bytes of a ring: head and slots. */
    public static long bytes(int log2ElemSize, int indexMask) {
        return DATA_OFFSET + (indexMask + 1L << log2ElemSize);
    }
}
