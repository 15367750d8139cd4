// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import org.softrdma.verbs.ReceiveRequest;

/** A ring of receive work requests as records: wr_id, total length, and scatter elements of address 8, length 4, lkey 4 bytes. */
public class ReceiveRing extends WorkRing {
    private static final int WR_ID = 0;
    private static final int LENGTH = 8;
    private static final int ELEMENTS = 16;
    private static final int FIXED_BYTES = 24;

    /**
     * Creates an empty ring.
     *
     * @param capacity    records; rounded up to a power of two
     * @param maxElements scatter elements of one record
     */
    public ReceiveRing(int capacity, int maxElements) {
        super(capacity, maxElements, ELEMENTS, FIXED_BYTES, 0);
    }

    /** Writes a request into the record at {@link #next()}. The caller has checked it against the limits. */
    public void write(ReceiveRequest request) {
        int at = at(next());
        long length = 0;
        for (int i = 0; i < request.elements(); i++) {
            length += setElement(i, request.address(i), request.length(i), request.lkey(i));
        }
        memory.u64(at + WR_ID, request.wrId());
        memory.u64(at + LENGTH, length);
        setElements(request.elements());
    }

    /**
     * Moves the oldest record to another ring. The caller is the owner of this ring and the poster of the other one.
     *
     * @param other has room, and records large enough for this one's elements
     */
    public void moveOldestTo(ReceiveRing other) {
        int from = at(head());
        memory.copyTo(other.memory, from, other.at(other.next()), FIXED_BYTES + elements(head()) * ELEMENT_BYTES);
        other.publish();
        release(head() + 1);
    }

    public long wrId(long sequence) {
        return memory.u64(at(sequence) + WR_ID);
    }

    /**
     * Capacity of a receive.
     *
     * @return bytes, the sum of the lengths of its elements
     */
    public long length(long sequence) {
        return memory.u64(at(sequence) + LENGTH);
    }
}
