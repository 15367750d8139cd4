// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvRecvWr;
import org.softrdma.libibverbs.layout.IbvSge;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;

/** Memory of one receive work request, reused for each that a queue posts. */
final class ReceiveRecord {
    private static final long BAD = IbvRecvWr.BYTES;
    private static final long ELEMENTS = BAD + Long.BYTES;

    private final MemorySegment memory = Arena.ofAuto().allocate(ELEMENTS + (long) SendRequest.MAX_ELEMENTS * IbvSge.BYTES, 8);

    /**
     * Posts a request.
     *
     * @param post  the queue's operation
     * @param queue its address
     * @return 0 or an errno value
     */
    int post(MemorySegment post, long queue, ReceiveRequest request) {
        IbvRecvWr.WR_ID.set(memory, 0, request.wrId());
        IbvRecvWr.NEXT.set(memory, 0, 0);
        IbvRecvWr.SG_LIST.set(memory, 0, memory.address() + ELEMENTS);
        IbvRecvWr.NUM_SGE.set(memory, 0, request.elements());
        for (int i = 0; i < request.elements(); i++) {
            long at = ELEMENTS + (long) i * IbvSge.BYTES;
            IbvSge.ADDR.set(memory, at, request.address(i));
            IbvSge.LENGTH.set(memory, at, request.length(i));
            IbvSge.LKEY.set(memory, at, request.lkey(i));
        }
        return DataPath.postReceive(post, queue, memory.address(), memory.address() + BAD);
    }
}
