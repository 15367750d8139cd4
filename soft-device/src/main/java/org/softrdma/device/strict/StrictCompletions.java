// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.device.findings.StrictRule;

/**
 * The completions that a completion queue may have to hold: those that wait to be polled, and one for each outstanding request that will
 * complete. Any thread.
 */
public final class StrictCompletions {
    /** A completion queue as its rules see it. */
    public interface Queue {
        /** Returns the number of completions that fit. */
        int cqe();

        /** Returns the number of completions that wait to be polled. */
        int held();

        /** Returns the number of completions that were ever added. */
        long added();

        /** Returns the number of completions that were ever polled. */
        long polled();
    }

    private final StrictContext context;
    private final Queue queue;
    private final AtomicInteger outstanding = new AtomicInteger();
    private final AtomicBoolean reported = new AtomicBoolean();

    public StrictCompletions(StrictContext context, Queue queue) {
        this.context = context;
        this.queue = queue;
    }

    Queue queue() {
        return queue;
    }

    /** A request was posted that will complete here. */
    void onPosted(String request) {
        int needed = outstanding.incrementAndGet() + queue.held();
        if (needed > queue.cqe() && reported.compareAndSet(false, true)) {
            context.report(StrictRule.COMPLETION_QUEUE_SIZE, queue + " can overrun: " + needed + " completions are outstanding or not"
                + " polled; make it as large as all queues that complete into it", request);
        }
    }

    /** The program destroys the queue, which waits for the acknowledgement of its events. */
    public void onClose(long unacknowledged) {
        if (unacknowledged > 0) {
            context.report(StrictRule.UNACKNOWLEDGED_EVENT, queue + " is destroyed and waits, because " + unacknowledged
                + " of its events were not acknowledged; call ackEvents for each event that getEvent returned", context.call("destroy_cq")
                .toString());
        }
    }

    /**
     * The program is about to wait for an event, and none has been raised.
     *
     * @param armed the queue raises one with its next completion
     */
    public void onWait(boolean armed) {
        int held = queue.held();
        if (held > 0) {
            context.report(StrictRule.LOST_WAKEUP, "the program waits for an event while " + queue + " holds " + held + " completions"
                + (armed ? ", which came before it was armed; poll it after requestNotify, and wait only if it is empty"
                : " and is not armed; call requestNotify, then poll it, then wait"), context.call("get_cq_event").toString());
        }
    }

    /**
     * Requests are no longer outstanding.
     *
     * @param count requests that completed, or never will because their queue pair was reset or destroyed
     */
    void onSettled(int count) {
        outstanding.addAndGet(-count);
    }
}
