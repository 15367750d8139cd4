// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.qp;

import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.reason.Failure;

/**
 * The port between a protocol machine and its work queues: the only view that a machine has of the application's side of a queue pair.
 * {@link QueuePairCore} uses it, so that a machine can be tested without a device, a lock or a channel.
 * Called by the device's owner only; every call returns the same rings and sinks.
 */
public interface WorkQueues {
    /** Returns the send queue. The machine reads records from head to tail and releases them as they complete. */
    SendRing sends();

    /** Returns the source of receives for inbound messages. */
    ReceiveSource receives();

    /** Returns the number of the protection domain that keys of work requests must belong to; 0, which no domain has, for an XRC target. */
    int pdNumber();

    /** Returns whether every send work request generates a completion, signaled or not (sq_sig_all). */
    boolean signalAll();

    /** Returns the completion queue of send work requests; null for an XRC target. */
    CompletionSink sendCq();

    /** Returns the completion queue of receives; null for XRC, where no receives are posted to this queue pair or to one shared queue. */
    CompletionSink recvCq();

    /** Returns whether receives are taken from one shared receive queue. */
    boolean sharesReceives();

    /**
     * Takes note of why the queue pair, or a work request of it, fails. The completions that follow from it come later.
     *
     * @param qpn number of the queue pair
     */
    void onFailure(int qpn, Failure why);

    /**
     * Takes note that the queue pair has entered ERR, and that everything posted before was flushed.
     *
     * @param why the last failure since RESET; null if none was noted
     */
    void onError(Failure why);

    /** Raises an asynchronous event of this queue pair. */
    void raise(AsyncEventType type);
}
