// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeQueueHeader;

/** A ring of librxe with our own copies of what must not change: sizes, and the index of our side. */
final class RxeRing {
    private final RingSpace.Extent extent;
    private final MemorySegment memory;
    private final int log2Bytes;
    private final int mask;

    /**
     * Creates an empty ring.
     *
     * @param records     records that must fit
     * @param recordBytes bytes of a record; a slot gets the next power of two
     */
    RxeRing(RingSpace space, int records, int recordBytes) {
        log2Bytes = Integer.SIZE - Integer.numberOfLeadingZeros(recordBytes - 1);
        mask = capacity(records);
        extent = space.allocate(RxeQueueHeader.bytes(log2Bytes, mask));
        memory = extent.memory();
        RxeQueueHeader.log2ElemSize(memory, 0, log2Bytes);
        RxeQueueHeader.indexMask(memory, 0, mask);
    }

    /** Returns the number of records that fit into a ring made for {@code records}: of a power of two of slots one stays free. */
    static int capacity(int records) {
        return (Integer.highestOneBit(Math.max(records, 1)) << 1) - 1;
    }

    RingSpace.Extent extent() {
        return extent;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Returns the number of records that fit. */
    int capacity() {
        return mask;
    }

    /** Returns the offset of the slot of an index in {@link #memory}. */
    long slot(int index) {
        return RxeQueueHeader.slot(0, index, log2Bytes, mask);
    }

    /** Returns the number of records from {@code consumer} to {@code producer}, 0 to {@link #capacity}. */
    int count(int producer, int consumer) {
        return producer - consumer & mask;
    }

    /** Returns the program's index, masked. */
    int producer() {
        return RxeQueueHeader.producerIndex(memory, 0) & mask;
    }

    /** Publishes records up to an index of ours, which need not be masked. */
    void producer(int index) {
        RxeQueueHeader.producerIndex(memory, 0, index & mask);
    }

    /** Returns the program's index, masked. */
    int consumer() {
        return RxeQueueHeader.consumerIndex(memory, 0) & mask;
    }

    /** Frees slots up to an index of ours, which need not be masked. */
    void consumer(int index) {
        RxeQueueHeader.consumerIndex(memory, 0, index & mask);
    }
}
