// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

/** A shared receive queue as the queue pairs that take receives from it see it. Called by the device's owner only. */
public interface SharedQueue {
    /**
     * Moves the oldest receive out.
     *
     * @param taken an empty ring that receives it
     * @return false if no receive is posted
     */
    boolean moveOldestTo(ReceiveRing taken);

    /** Returns whether the queue was destroyed: receives taken from it before do not complete any more. */
    boolean isClosed();

    /** Moves bytes into the memory of its receives. */
    ScatterGather data();

    /** Number of the protection domain that its receives, and through an XRC target requests of peers, are checked against. */
    int pdNumber();

    /** Completion queue of an XRC queue's receives; null for other queues. */
    CompletionSink cq();

    /** Returns whether it is an XRC queue of the domain with that number. */
    boolean isOf(int xrcDomain);
}
