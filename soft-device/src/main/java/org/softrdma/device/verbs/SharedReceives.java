// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.device.queue.ReceiveSource;

/**
 * A queue pair's side of a shared receive queue. Taking a receive copies it here and frees its slot, so that queue pairs finish theirs in
 * any order. An XRC target has another queue with each message.
 */
public final class SharedReceives implements ReceiveSource {
    private final ReceiveRing taken;
    private SoftSharedReceiveQueue queue;

    /** @param maxElements what the receives of any queue it will be aimed at can have */
    SharedReceives(int maxElements) {
        taken = new ReceiveRing(1, maxElements);
    }

    /** From now on takes from that queue; no receive is current. */
    public void aim(SoftSharedReceiveQueue from) {
        queue = from;
    }

    @Override
    public boolean take() {
        return isTaken() || queue.moveOldestTo(taken);
    }

    private boolean isTaken() {
        return taken.head() != taken.tail();
    }

    /** Of a queue that was closed with a message under way, as an XRC queue can be, nothing completes any more. */
    @Override
    public boolean takeToFlush() {
        return isTaken() && !queue.isClosed();
    }

    @Override
    public long length() {
        return taken.length(taken.head());
    }

    /** What its elements are checked against is the shared queue's protection domain, IBA vol 1 §10.2.9. */
    @Override
    public boolean scatter(long offset, int length, MemorySegment from, long fromOffset) {
        return queue.data().scatter(taken, taken.head(), offset, length, from, fromOffset);
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
