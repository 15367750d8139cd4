// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.reason.Failure;

/** A queue pair's own receive queue; the current receive is the oldest. A program outside this process posts beside the ring. */
public final class OwnReceives implements ReceiveSource {
    private final ReceiveRing ring;
    private final ScatterGather data;
    /** Null unless the program is outside this process; then receives move into the ring one at a time. */
    private PostedReceives outside;

    public OwnReceives(ReceiveRing ring, ScatterGather data) {
        this.ring = ring;
        this.data = data;
    }

    /** Takes all receives from {@code posted} from now on: nothing is posted into the ring itself. */
    public void takeFrom(PostedReceives posted) {
        outside = posted;
    }

    @Override
    public boolean take() {
        return ring.head() != ring.tail() || outside != null && outside.moveOldestTo(ring);
    }

    @Override
    public int toFlush() {
        return (int) (ring.tail() - ring.head()) + (outside == null ? 0 : outside.size());
    }

    @Override
    public boolean takeToFlush() {
        return take();
    }

    @Override
    public long length() {
        return ring.length(ring.head());
    }

    @Override
    public boolean scatter(long offset, int length, MemorySegment from, long fromOffset) {
        return data.scatter(ring, ring.head(), offset, length, from, fromOffset);
    }

    @Override
    public Failure explain() {
        return data.explain(ring, ring.head(), AccessFlags.LOCAL_WRITE);
    }

    @Override
    public long finish() {
        long sequence = ring.head();
        long wrId = ring.wrId(sequence);
        ring.release(sequence + 1);
        return wrId;
    }

    @Override
    public void forget() {
        ring.release(ring.tail());
        for (int left = toFlush(); left > 0 && outside.moveOldestTo(ring); left--) {
            ring.release(ring.tail());
        }
    }
}
