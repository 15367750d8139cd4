// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeQueueHeader;

/** One side's view of a ring of librxe: its own copies of the sizes, and the indices of both sides. Callers take turns. */
public class RingView {
    private final MemorySegment memory;
    private final int log2Bytes;
    private final int mask;

    RingView(MemorySegment memory, int log2Bytes, int mask) {
        this.memory = memory;
        this.log2Bytes = log2Bytes;
        this.mask = mask;
    }

    /**
     * Views a ring that the other side has made, and whose header is trusted.
     *
     * @param memory the ring as it is mapped
     */
    public static RingView of(MemorySegment memory) {
        return new RingView(memory, RxeQueueHeader.log2ElemSize(memory, 0), RxeQueueHeader.indexMask(memory, 0));
    }

    public final MemorySegment memory() {
        return memory;
    }

    /** Returns the number of records that fit. */
    public final int capacity() {
        return mask;
    }

    /** Returns the offset of the slot of an index in {@link #memory}. */
    public final long slot(int index) {
        return RxeQueueHeader.slot(0, index, log2Bytes, mask);
    }

    /** Returns the number of records from {@code consumer} to {@code producer}, 0 to {@link #capacity}. */
    public final int count(int producer, int consumer) {
        return producer - consumer & mask;
    }

    /** Returns the producer's index, masked. */
    public final int producer() {
        return RxeQueueHeader.producerIndex(memory, 0) & mask;
    }

    /** Publishes records up to an index of ours, which need not be masked. */
    public final void producer(int index) {
        RxeQueueHeader.producerIndex(memory, 0, index & mask);
    }

    /** Returns the consumer's index, masked. */
    public final int consumer() {
        return RxeQueueHeader.consumerIndex(memory, 0) & mask;
    }

    /** Frees slots up to an index of ours, which need not be masked. */
    public final void consumer(int index) {
        RxeQueueHeader.consumerIndex(memory, 0, index & mask);
    }
}
