// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import org.softrdma.abi.rings.RxeQueueHeader;

/** A ring of librxe that we have made, in memory that a program can write to. */
final class RxeRing extends RingView {
    private final RingSpace.Extent extent;

    private RxeRing(RingSpace.Extent extent, int log2Bytes, int mask) {
        super(extent.memory(), log2Bytes, mask);
        this.extent = extent;
        RxeQueueHeader.log2ElemSize(memory(), 0, log2Bytes);
        RxeQueueHeader.indexMask(memory(), 0, mask);
    }

    /**
     * Creates an empty ring.
     *
     * @param records     records that must fit
     * @param recordBytes bytes of a record; a slot gets the next power of two
     */
    static RxeRing create(RingSpace space, int records, int recordBytes) {
        int log2Bytes = Integer.SIZE - Integer.numberOfLeadingZeros(recordBytes - 1);
        int mask = capacity(records);
        return new RxeRing(space.allocate(RxeQueueHeader.bytes(log2Bytes, mask)), log2Bytes, mask);
    }

    /** Returns the number of records that fit into a ring made for {@code records}: of a power of two of slots one stays free. */
    static int capacity(int records) {
        return (Integer.highestOneBit(Math.max(records, 1)) << 1) - 1;
    }

    RingSpace.Extent extent() {
        return extent;
    }
}
