// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.reason.Failure;

/**
 * A queue pair's side of a shared receive queue. Taking a receive copies it into a ring of one record and frees its slot in the shared
 * queue, so that the queue pairs can finish their receives in any order. For an XRC target, each message selects the queue with
 * {@link #aim}.
 */
public final class SharedReceives implements ReceiveSource {
    private final ReceiveRing taken;
    private SharedQueue queue;

    /**
     * Creates a source without a queue; {@link #aim} must come before the first {@link #take}.
     *
     * @param maxElements maximum number of scatter elements of a receive in any queue passed to {@link #aim}
     */
    public SharedReceives(int maxElements) {
        taken = new ReceiveRing(1, maxElements);
    }

    /**
     * Sets the queue that receives are taken from. Precondition: no receive is current.
     *
     * @param from the shared queue
     */
    public void aim(SharedQueue from) {
        queue = from;
    }

    @Override
    public boolean take() {
        return isTaken() || queue.moveOldestTo(taken);
    }

    private boolean isTaken() {
        return taken.head() != taken.tail();
    }

    @Override
    public int toFlush() {
        return isTaken() ? 1 : 0;
    }

    /** Returns false also for a queue that was destroyed during a message, which an XRC queue can be: its receives do not complete. */
    @Override
    public boolean takeToFlush() {
        return isTaken() && !queue.isClosed();
    }

    @Override
    public long length() {
        return taken.length(taken.head());
    }

    /** Checks the elements against the shared queue's protection domain, IBA vol 1 §10.2.9. */
    @Override
    public boolean scatter(long offset, int length, MemorySegment from, long fromOffset) {
        return queue.data().scatter(taken, taken.head(), offset, length, from, fromOffset);
    }

    @Override
    public Failure explain() {
        return queue.data().explain(taken, taken.head(), AccessFlags.LOCAL_WRITE);
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
