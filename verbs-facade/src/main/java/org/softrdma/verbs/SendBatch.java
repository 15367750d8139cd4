// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Send work requests that are posted together or not at all ({@code struct ibv_qp_ex}, {@code ibv_wr_start} to {@code ibv_wr_complete}).
 * From {@link #start} to {@link #complete} or {@link #abort} the send queue belongs to the thread; others that post to it wait. One batch
 * object may be used again and again, by one thread at a time; using it allocates nothing.
 *
 * <pre>{@code
 * batch.start();
 * batch.add().write(address, rkey).wrId(1).element(region, 0, 4096);
 * batch.add().sendWithImmediate(7).wrId(2).signaled();
 * batch.complete();
 * }</pre>
 */
public interface SendBatch {
    /**
     * Begins a batch.
     *
     * @throws VerbsException EINVAL if this thread is in one already
     */
    void start();

    /**
     * One more work request of the batch, to be filled; the same object each time. It is looked at, and its inline data copied, when the
     * next one is asked for or the batch is complete; what is wrong with it is told by {@link #complete}.
     *
     * @throws VerbsException EINVAL outside a batch
     */
    SendRequest add();

    /**
     * Posts all of the batch and ends it.
     *
     * @throws VerbsException what {@link QueuePair#postSend(SendRequest)} would say to the first request it refuses, or EINVAL: an
     * operation
     *     that the batch was not made for, or no batch was begun. Nothing is posted then, and the batch has ended
     */
    void complete();

    /** Ends the batch without posting any of it. EINVAL outside a batch. */
    void abort();
}
