// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;

/**
 * A queue pair's side of a shared receive queue. Taking a receive copies it here and frees its slot, so that queue pairs finish theirs in
 * any order. An XRC target is aimed at another queue with each message.
 */
public final class SharedReceives implements ReceiveSource {
    private final ReceiveRing taken;
    private SharedQueue queue;

    /** @param maxElements scatter elements of one receive, at most, in any queue it will be aimed at */
    public SharedReceives(int maxElements) {
        taken = new ReceiveRing(1, maxElements);
    }

    /** Takes receives from that queue from now on. Precondition: no receive is current. */
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

    /** Takes nothing from a queue that was destroyed during a message, as an XRC queue can be: its receives do not complete. */
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
