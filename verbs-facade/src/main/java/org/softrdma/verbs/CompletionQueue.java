// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** A completion queue. Any thread may poll it; each completion is delivered once. */
public interface CompletionQueue extends AutoCloseable {
    Context rdmaContext();

    /** The object given to {@link Context#createCq}. */
    Object context();

    /** Capacity in completions. One more overruns the queue: the completion is lost, CQ_ERR is raised, its queue pairs go to ERR. */
    int cqe();

    /**
     * Removes completions, oldest first, without allocating and without blocking. A thread that polls also drives the device when no
     * other thread does, so polling in a loop makes progress by itself.
     *
     * @param into receives the completions, from index 0; its elements are reused
     * @return number of completions, 0..into.length
     * @throws VerbsException EINVAL: the queue is closed
     */
    default int poll(WorkCompletion[] into) {
        return poll(into, into.length);
    }

    /** Removes at most {@code max} completions, as {@link #poll(WorkCompletion[])} does. */
    int poll(WorkCompletion[] into, int max);

    /** Arms the queue: the next completion added raises one event on its channel. Poll again after arming, to close the race. */
    void requestNotify();

    /** Arms the queue for solicited receives and failed work requests only. An earlier {@link #requestNotify()} stays in force. */
    void requestNotifySolicited();

    /** Acknowledges {@code count} events that the channel returned for this queue. Cheaper in batches. */
    void ackEvents(int count);

    /** Creates a reader of this queue; each thread that reads needs one of its own, and reuses it. */
    default CompletionReader reader() {
        throw VerbsException.unsupported("create_cq_ex");
    }

    /**
     * Changes the capacity; completions in the queue stay, in order.
     *
     * @param cqe as in {@link Context#createCq}
     * @throws VerbsException EINVAL: not in 1..{@link DeviceAttributes#maxCqe()}, fewer than it holds now, or the queue has overrun
     */
    default void resize(int cqe) {
        throw VerbsException.unsupported("resize_cq");
    }

    /** Waits for its events to be acknowledged, then closes. EBUSY while queue pairs use it. */
    @Override
    void close();
}
