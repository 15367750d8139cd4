// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.device.queue.ScatterGather;

/**
 * A queue pair's side of a shared receive queue. Taking a receive copies it here and frees its slot, so that queue pairs finish theirs in
 * any order.
 */
final class SharedReceives implements ReceiveSource {
    private final SoftSharedReceiveQueue queue;
    private final ReceiveRing taken;
    private final ScatterGather data;

    /** @param data in the shared queue's protection domain: that is what its elements are checked against, IBA vol 1 §10.2.9 */
    SharedReceives(SoftSharedReceiveQueue queue, ScatterGather data) {
        this.queue = queue;
        this.data = data;
        taken = new ReceiveRing(1, queue.maxElements());
    }

    @Override
    public boolean take() {
        return takeToFlush() || queue.moveOldestTo(taken);
    }

    @Override
    public boolean takeToFlush() {
        return taken.head() != taken.tail();
    }

    @Override
    public long length() {
        return taken.length(taken.head());
    }

    @Override
    public boolean scatter(long offset, int length, MemorySegment from, long fromOffset) {
        return data.scatter(taken, taken.head(), offset, length, from, fromOffset);
    }

    @Override
    public long finish() {
        long sequence = taken.head();
        long wrId = taken.wrId(sequence);
        taken.release(sequence + 1);
        return wrId;
    }

    @Override
    public void forget() {
        taken.release(taken.tail());
    }
}
