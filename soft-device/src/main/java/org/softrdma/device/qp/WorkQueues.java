// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.qp;

import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AsyncEventType;

/**
 * The port between a protocol machine and its work queues: everything a machine knows of the application's side of a queue pair.
 * {@link QueuePairCore} is built on it, so that a machine can be tested without a device, a lock or a channel.
 * Called by the device's owner only; the rings and the sinks are the same for life.
 */
public interface WorkQueues {
    /** Send queue. The machine reads records from head to tail and releases them as they complete. */
    SendRing sends();

    /** Receives for inbound messages. */
    ReceiveSource receives();

    /** Number of the protection domain that keys of work requests must belong to; 0, which no domain has, for an XRC target. */
    int pdNumber();

    /** Returns whether every send work request completes with a completion, signaled or not (sq_sig_all). */
    boolean signalAll();

    /** Completion queue of send work requests; null for an XRC target. */
    CompletionSink sendCq();

    /** Completion queue of receives; null where no receives are posted for this queue pair alone or to one shared queue (XRC). */
    CompletionSink recvCq();

    /** Returns whether receives are taken from one shared receive queue. */
    boolean sharesReceives();

    /** Raises an asynchronous event of this queue pair. */
    void raise(AsyncEventType type);
}
