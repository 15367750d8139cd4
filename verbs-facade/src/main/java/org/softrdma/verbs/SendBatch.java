// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Send work requests that are posted together or not at all ({@code struct ibv_qp_ex}, {@code ibv_wr_start} to {@code ibv_wr_complete}).
 * From {@link #start} to {@link #complete} or {@link #abort} the send queue belongs to the thread; others that post to it wait. A batch
 * object is reusable, by one thread at a time; using it allocates nothing.
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
     * @throws VerbsException EINVAL if this thread is in a batch already
     */
    void start();

    /**
     * Adds a work request to the batch, for the caller to fill; the same object each time. It is checked, and its inline data copied, when
     * the next one is added or the batch is completed; {@link #complete} reports errors in it.
     *
     * @return the request; never null
     * @throws VerbsException EINVAL outside a batch
     */
    SendRequest add();

    /**
     * Posts all of the batch and ends it.
     *
     * @throws VerbsException the error of {@link QueuePair#postSend(SendRequest)} for the first request that it refuses, or EINVAL: an
     *     operation that the batch was not made for, or no batch was begun. Nothing is posted then, and the batch has ended
     */
    void complete();

    /** Ends the batch without posting any of it. EINVAL outside a batch. */
    void abort();
}
