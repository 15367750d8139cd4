// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeQueueHeader;

/** The program's side of a ring of librxe. Callers take turns. */
final class ClientRing {
    private final MemorySegment memory;
    private final int log2Bytes;
    private final int mask;

    /** @param memory the ring as it is mapped, made by the daemon */
    ClientRing(MemorySegment memory) {
        this.memory = memory;
        log2Bytes = RxeQueueHeader.log2ElemSize(memory, 0);
        mask = RxeQueueHeader.indexMask(memory, 0);
    }

    MemorySegment memory() {
        return memory;
    }

    /** Returns the number of records that fit. */
    int capacity() {
        return mask;
    }

    /** Returns the offset of a slot in {@link #memory}. */
    long slot(int index) {
        return RxeQueueHeader.slot(0, index, log2Bytes, mask);
    }

    int producer() {
        return RxeQueueHeader.producerIndex(memory, 0) & mask;
    }

    /** Publishes the records up to an index, which need not be masked. */
    void producer(int index) {
        RxeQueueHeader.producerIndex(memory, 0, index & mask);
    }

    int consumer() {
        return RxeQueueHeader.consumerIndex(memory, 0) & mask;
    }

    /** Frees the records up to an index, which need not be masked. */
    void consumer(int index) {
        RxeQueueHeader.consumerIndex(memory, 0, index & mask);
    }

    /** Returns the number of records from the consumer to an index. */
    int held(int producer) {
        return producer - consumer() & mask;
    }
}
