// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

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

    public long wrId(long sequence) {
        return memory.get(U64, at(sequence) + WR_ID);
    }

    /** Bytes all elements hold together. */
    public long length(long sequence) {
        return memory.get(U64, at(sequence) + LENGTH);
    }
}
