// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.ReceiveRequest;

/** Receive work requests as records: wr_id, total length, and scatter elements of address 8, length 4, lkey 4 bytes. */
public final class ReceiveRing extends WorkRing {
    private static final int WR_ID = 0;
    private static final int LENGTH = 8;
    private static final int ELEMENTS = 16;
    private static final int FIXED_BYTES = 24;

    /**
     * @param capacity    records; rounded up to a power of two
     * @param maxElements scatter elements of one record
     */
    public ReceiveRing(int capacity, int maxElements) {
        super(capacity, maxElements, ELEMENTS, FIXED_BYTES, 0);
    }

    /** Writes {@code request} at {@link #next()}; the caller has checked it against the limits. */
    public void write(ReceiveRequest request) {
        long at = at(next());
        long length = 0;
        for (int i = 0; i < request.elements(); i++) {
            length += setElement(i, request.address(i), request.length(i), request.lkey(i));
        }
        memory.set(U64, at + WR_ID, request.wrId());
        memory.set(U64, at + LENGTH, length);
        setElements(request.elements());
    }

    /** Moves the oldest record to {@code other}, which has room and records of the same size. Owner's side, and {@code other}'s poster. */
    public void moveOldestTo(ReceiveRing other) {
        long from = at(head());
        long bytes = FIXED_BYTES + (long) elements(head()) * ELEMENT_BYTES;
        MemorySegment.copy(memory, from, other.memory, other.at(other.next()), bytes);
        other.publish();
        release(head() + 1);
    }

    public long wrId(long sequence) {
        return memory.get(U64, at(sequence) + WR_ID);
    }

    /** Bytes all elements hold together. */
    public long length(long sequence) {
        return memory.get(U64, at(sequence) + LENGTH);
    }
}
