// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** A completion queue. Any thread may poll it; each completion is delivered once. */
public interface CompletionQueue extends AutoCloseable {
    Context rdmaContext();

    /** What {@code create_cq} was given. */
    Object context();

    /** Completions it holds. One more overruns it: the completion is lost, CQ_ERR is raised, its queue pairs go to ERR. */
    int cqe();

    /**
     * Takes completions out, oldest first, without allocating and without blocking. A thread that polls also drives the device when
     * nobody else does, so polling in a loop makes progress by itself.
     *
     * @param into where they go, from index 0; its elements are reused
     * @return how many came, 0..into.length
     */
    default int poll(WorkCompletion[] into) {
        return poll(into, into.length);
    }

    /** As {@link #poll(WorkCompletion[])}, {@code max} completions at most. */
    int poll(WorkCompletion[] into, int max);

    /** Arms the queue: the next completion added raises one event on its channel. Poll again after arming, to close the race. */
    void requestNotify();

    /** Arms the queue for solicited receives and failed work requests only. Does not weaken an earlier {@link #requestNotify()}. */
    void requestNotifySolicited();

    /** Acknowledges {@code count} events that came out of the channel for this queue. Cheaper in batches. */
    void ackEvents(int count);

    /** A reader of this queue; each thread that reads needs one of its own, and keeps it. */
    default CompletionReader reader() {
        throw VerbsException.unsupported("create_cq_ex");
    }

    /**
     * Changes the capacity; what the queue holds stays, in order.
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
