// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A completion queue. Any thread may poll it; each completion is delivered once. */
public interface CompletionQueue extends AutoCloseable {
    /** {@return the context that the queue was created from} */
    Context rdmaContext();

    /** {@return the object given to {@link Context#createCq}} */
    Object context();

    /** {@return the capacity} One completion more overruns the queue: it is lost, CQ_ERR is raised, the queue pairs go to ERR. */
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

    /**
     * Removes completions as {@link #poll(WorkCompletion[])} does.
     *
     * @param into receives them, from index 0; its elements are reused
     * @param max  completions at most, 0..into.length
     * @return number of completions
     */
    int poll(WorkCompletion[] into, int max);

    /**
     * Removes completions as {@link #poll(WorkCompletion[])} does, and hands them to {@code handler} one after the other.
     *
     * @param reused  receives the completions; its length is the most that is taken
     * @param handler must not keep the object, which the next poll overwrites
     * @return number of completions
     */
    default int poll(WorkCompletion[] reused, Consumer<WorkCompletion> handler) {
        int taken = poll(reused);
        for (int i = 0; i < taken; i++) {
            handler.accept(reused[i]);
        }
        return taken;
    }

    /**
     * Removes completions as {@link #poll(WorkCompletion[])} does, but waits while there is none. Needs no channel; the waiting thread
     * drives the device.
     *
     * @param into      receives the completions, from index 0; its elements are reused
     * @param timeoutNs nanoseconds to wait, 0 to return at once, negative for no limit
     * @return number of completions, 0 on timeout
     * @throws VerbsException EINTR if the thread is interrupted; its interrupt flag stays set
     */
    default int await(WorkCompletion[] into, long timeoutNs) {
        long beganNs = System.nanoTime();
        while (true) {
            int taken = poll(into);
            if (taken > 0 || timeoutNs >= 0 && System.nanoTime() - beganNs >= timeoutNs) {
                return taken;
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new VerbsException(Errno.EINTR, "poll_cq", "the waiting thread was interrupted");
            }
            Thread.yield();
        }
    }

    /**
     * Waits for {@code count} completions and removes them, successes and failures alike; see {@link WorkCompletion#requireSuccess}. For
     * tests and other programs that wait rarely: it allocates.
     *
     * @param count   of completions
     * @param timeout longest wait for each of them
     * @return the completions, oldest first; they belong to the caller
     * @throws VerbsException ETIMEDOUT, naming those that came before, and the {@link #pendingWork}; EINTR if the thread is interrupted
     */
    default List<WorkCompletion> await(int count, Duration timeout) {
        List<WorkCompletion> taken = new ArrayList<>(count);
        while (taken.size() < count) {
            WorkCompletion[] next = WorkCompletion.array(1);
            if (await(next, timeout.toNanos()) == 0) {
                String pending = pendingWork();
                throw new VerbsException(Errno.ETIMEDOUT, "poll_cq", "no completion within " + timeout.toMillis() + " ms; "
                    + taken.size() + " of " + count + " came before" + (taken.isEmpty() ? "" : ": " + taken)
                    + (pending.isEmpty() ? "" : "; " + pending));
            }
            taken.add(next[0]);
        }
        return taken;
    }

    /**
     * Waits for one completion, as {@link #await(int, Duration)} does.
     *
     * @param timeout longest wait
     * @return the completion; it belongs to the caller
     */
    default WorkCompletion await(Duration timeout) {
        return await(1, timeout).getFirst();
    }

    /**
     * Describes the work whose completions go to this queue, and what it waits for, for the message of a wait in vain. It allocates.
     *
     * @return one line, or nothing if the provider does not know
     */
    default String pendingWork() {
        return "";
    }

    /** Arms the queue: the next completion added raises one event on its channel. Poll again after arming, to close the race. */
    void requestNotify();

    /** Arms the queue for solicited receives and failed work requests only. An earlier {@link #requestNotify()} stays in force. */
    void requestNotifySolicited();

    /**
     * Acknowledges events that the channel returned for this queue. Cheaper in batches.
     *
     * @param count of events, no more than were returned and not yet acknowledged
     */
    void ackEvents(int count);

    /**
     * Creates a reader of this queue.
     *
     * @return the reader; each thread that reads needs one of its own, and reuses it
     */
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
