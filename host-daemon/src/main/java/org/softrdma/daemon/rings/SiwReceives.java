// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.SiwFlags;
import org.softrdma.abi.rings.SiwReceiveRecord;
import org.softrdma.abi.rings.SiwSendRecord;
import org.softrdma.device.queue.PostedReceives;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.verbs.ReceiveRequest;

/** A receive queue of libsiw, shared or not. */
final class SiwReceives implements PostedReceives {
    private final RingSpace.Extent extent;
    private final MemorySegment memory;
    private final int slots;
    private final int maxElements;
    private final MemorySegment copy = Arena.ofAuto().allocate(SiwReceiveRecord.BYTES, Long.BYTES);
    private final ReceiveRequest request = new ReceiveRequest();
    /** Sequence number of the oldest receive. */
    private long oldest;

    /** @param maxSge elements of a receive at most, as the queue was created; a record may have room for more */
    SiwReceives(RingSpace space, int slots, int maxSge) {
        this.slots = slots;
        maxElements = Math.min(maxSge, SiwSendRecord.MAX_SGE);
        extent = space.allocate((long) slots * SiwReceiveRecord.BYTES);
        memory = extent.memory();
    }

    RingSpace.Extent extent() {
        return extent;
    }

    @Override
    public int size() {
        int posted = 0;
        while (posted < slots && isPosted(oldest + posted)) {
            posted++;
        }
        return posted;
    }

    private boolean isPosted(long sequence) {
        return (SiwReceiveRecord.flags(memory, slot(sequence)) & SiwFlags.VALID) != 0;
    }

    private long slot(long sequence) {
        return (sequence & slots - 1) * SiwReceiveRecord.BYTES;
    }

    /** A record with more elements than the queue allows becomes a receive without memory, which any message overruns. */
    @Override
    public boolean moveOldestTo(ReceiveRing taken) {
        if (!isPosted(oldest)) {
            return false;
        }
        long slot = slot(oldest);
        MemorySegment.copy(memory, slot, copy, 0, SiwReceiveRecord.BYTES);
        request.begin(SiwReceiveRecord.id(copy, 0));
        int elements = SiwReceiveRecord.numSge(copy, 0);
        if (elements <= maxElements) {
            for (int i = 0; i < elements; i++) {
                long at = SiwReceiveRecord.SGE_OFFSET + (long) i * RxeElement.BYTES;
                request.element(RxeElement.addr(copy, at), RxeElement.length(copy, at), RxeElement.lkey(copy, at));
            }
        }
        taken.write(request);
        taken.publish();
        oldest++;
        SiwReceiveRecord.flags(memory, slot, 0);
        return true;
    }
}
