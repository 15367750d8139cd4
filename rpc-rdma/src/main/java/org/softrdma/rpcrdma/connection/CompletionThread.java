// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.connection;

import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * The thread that processes the completions of one connection, until a work request fails, as all do when the connection ends. It polls for
 * a while before it sleeps, since polling also drives the device.
 */
public final class CompletionThread {
    /** How long the thread polls before it sleeps. */
    private static final long SPIN_NS = 50_000;
    /** Longest sleep before {@link #end} is noticed. */
    private static final long LONGEST_SLEEP_NS = 500_000_000L;

    private final MessageQueuePair queuePair;
    private final ReentrantLock lock;
    private final Owner owner;
    private final Thread thread;
    private final MessageQueuePair.Completions taker = this::onCompletion;
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
     * @param lock guards the queue pair
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
            long idleSinceNs = System.nanoTime();
            while (!over) {
                if (process()) {
                    idleSinceNs = System.nanoTime();
                } else if (System.nanoTime() - idleSinceNs < SPIN_NS) {
                    Thread.onSpinWait();
                } else {
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
        int count;
        lock.lock();
        try {
            count = queuePair.poll(taker);
            if (count > 0 && !over) {
                owner.transmit();
            }
        } finally {
            lock.unlock();
        }
        if (count > 0) {
            owner.afterBatch();
        }
        return count > 0;
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
