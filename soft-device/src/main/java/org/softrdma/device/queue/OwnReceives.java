// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;

/** A queue pair's own receive queue; the current receive is the oldest. */
public final class OwnReceives implements ReceiveSource {
    private final ReceiveRing ring;
    private final ScatterGather data;

    public OwnReceives(ReceiveRing ring, ScatterGather data) {
        this.ring = ring;
        this.data = data;
    }

    @Override
    public boolean take() {
        return ring.head() != ring.tail();
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
    public long finish() {
        long sequence = ring.head();
        long wrId = ring.wrId(sequence);
        ring.release(sequence + 1);
        return wrId;
    }

    @Override
    public void forget() {
        ring.release(ring.tail());
    }
}
