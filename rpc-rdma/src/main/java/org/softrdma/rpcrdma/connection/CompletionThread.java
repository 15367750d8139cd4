// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.connection;

import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * The thread that processes the completions of one connection, until a work request fails, as all do when the connection ends. It polls
 * without the lock, which other threads need to post: a poll may drive the device for as long as packets arrive. A poll that finds nothing
 * is followed by a sleep, in which the device itself spins for a moment before it parks; a further spin here would take the processor from
 * the threads that are to post next.
 */
public final class CompletionThread {
    /** Longest sleep before {@link #end} is noticed. */
    private static final long LONGEST_SLEEP_NS = 500_000_000L;

    private final MessageQueuePair queuePair;
    private final ReentrantLock lock;
    private final Owner owner;
    private final Thread thread;
    private volatile boolean over;
    /** The first completion that failed, for the log. */
    private String failure;

    /** The connection whose completions are processed. */
    public interface Owner {
        /** Processes a completion that succeeded; with the lock. */
        void onCompletion(WorkCompletion completion);

        /** Posts what follows from the completions; with the lock. */
        void transmit();

        /** Does what must not be done with the lock, such as serving calls; without the lock, after each batch of completions. */
        void afterBatch();

        /** Reports the end of the connection; without the lock, as the last call of the thread. */
        void onEnd(String cause);
    }

    /**
     * Creates the thread.
     *
     * @param lock guards the owner's state and the posting
     */
    public CompletionThread(String name, MessageQueuePair queuePair, ReentrantLock lock, Owner owner) {
        this.queuePair = queuePair;
        this.lock = lock;
        this.owner = owner;
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /** Ends the thread soon, whatever happens on the connection. */
    public void end() {
        over = true;
        thread.interrupt();
    }

    /** Waits for the end of the thread, which must have been started. */
    public void join() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException closing) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!over) {
                if (!process()) {
                    idle();
                }
            }
        } catch (VerbsException broken) {
            failure = failure == null ? broken.getMessage() : failure;
        } finally {
            owner.onEnd(failure);
        }
    }

    /** @return whether there was a completion */
    private boolean process() {
        int count = queuePair.poll();
        if (count == 0) {
            return false;
        }
        lock.lock();
        try {
            for (int i = 0; i < count; i++) {
                onCompletion(queuePair.completion(i));
            }
            if (!over) {
                owner.transmit();
            }
        } finally {
            lock.unlock();
        }
        owner.afterBatch();
        return true;
    }

    private void onCompletion(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            over = true;
            failure = failure == null ? completion.toString() : failure;
        } else if (!over) {
            owner.onCompletion(completion);
        }
    }

    /** Arms the queue; if it has been armed and polled since, sleeps. */
    private void idle() {
        if (queuePair.isArmed()) {
            queuePair.await(LONGEST_SLEEP_NS);
        } else {
            queuePair.arm();
        }
    }
}
