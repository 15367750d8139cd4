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

    /** Returns whether the queue was destroyed. Receives taken from it before then do not complete. */
    boolean isClosed();

    /** Returns the copier into the memory of the queue's receives. */
    ScatterGather data();

    /** Returns the number of the protection domain that receives, and requests of peers to an XRC target, are checked against. */
    int pdNumber();

    /** Returns the completion queue of an XRC queue's receives; null for other queues. */
    CompletionSink cq();

    /** Returns whether this is an XRC queue of the domain with the given number. */
    boolean isOf(int xrcDomain);
}
