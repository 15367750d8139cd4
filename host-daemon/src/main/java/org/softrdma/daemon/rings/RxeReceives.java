// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.RxeReceiveRecord;
import org.softrdma.device.queue.PostedReceives;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.verbs.ReceiveRequest;

/** A receive queue of librxe, shared or not. */
final class RxeReceives implements PostedReceives {
    private final RxeRing ring;
    private final int maxElements;
    private final MemorySegment copy;
    private final ReceiveRequest request = new ReceiveRequest();
    /** Index of the oldest receive; not masked. */
    private int oldest;

    RxeReceives(RingSpace space, int maxWr, int maxSge) {
        int recordBytes = RxeReceiveRecord.BYTES + maxSge * RxeElement.BYTES;
        ring = RxeRing.create(space, maxWr, recordBytes);
        maxElements = maxSge;
        copy = Arena.ofAuto().allocate(recordBytes, Long.BYTES);
    }

    RingSpace.Extent extent() {
        return ring.extent();
    }

    @Override
    public int size() {
        return ring.count(ring.producer(), oldest);
    }

    /** A record with more elements than the queue allows becomes a receive without memory, which any message overruns. */
    @Override
    public boolean moveOldestTo(ReceiveRing taken) {
        if (size() == 0) {
            return false;
        }
        MemorySegment.copy(ring.memory(), ring.slot(oldest), copy, 0, copy.byteSize());
        int elements = RxeReceiveRecord.numSge(copy, 0);
        request.begin(RxeReceiveRecord.wrId(copy, 0));
        if (elements >= 0 && elements <= maxElements) {
            for (int i = 0; i < elements; i++) {
                long at = RxeReceiveRecord.SGE_OFFSET + (long) i * RxeElement.BYTES;
                request.element(RxeElement.addr(copy, at), RxeElement.length(copy, at), RxeElement.lkey(copy, at));
            }
        }
        taken.write(request);
        taken.publish();
        oldest++;
        ring.consumer(oldest);
        return true;
    }
}
