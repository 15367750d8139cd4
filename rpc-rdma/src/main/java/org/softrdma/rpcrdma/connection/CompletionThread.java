// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.connection;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * The thread that processes the completions of one connection, until a work request fails, as all do when the connection ends. It polls
 * without the lock, which other threads need to post: a poll may drive the device for as long as packets arrive. A poll that finds nothing
 * is followed by a sleep, in which the device itself spins for a moment before it parks; a further spin here would take the processor from
 * the threads that are to post next.
 *
 * <p>A thread of the application that waits for an outcome may process the completions itself ({@link #await}), which saves two changes of
 * thread for each. The connection's own thread then stays away until nobody has waited so for a millisecond, as a device's thread does for
 * applications that poll.
 */
public final class CompletionThread {
    /** Longest sleep without a look at whether the connection has ended. */
    private static final long LONGEST_SLEEP_NS = 500_000_000L;

    /** An application's thread that waited this recently is expected to do so again. */
    private static final long LEASE_NS = 1_000_000;

    private final MessageQueuePair queuePair;
    private final ReentrantLock lock;
    private final Owner owner;
    private final Thread thread;
    /** Held by the thread that processes completions. */
    private final ReentrantLock processing = new ReentrantLock();
    /** The application's thread that processes completions, or is to do so next. */
    private final AtomicReference<Thread> driver = new AtomicReference<>();
    /** Threads that wait while another one of the application processes. */
    private final AtomicInteger others = new AtomicInteger();
    /** When an application's thread processed last. */
    private volatile long drivenNs = System.nanoTime() - LEASE_NS;
    /** The connection's own thread waits for an application's thread to end its processing. */
    private volatile boolean standsBy;
    private volatile boolean over;
    /** The owner has more to serve. Guarded by {@link #processing}. */
    private boolean more;
    /** The first completion that failed, for the log. */
    private String failure;

    /** The connection whose completions are processed. */
    public interface Owner {
        /** Processes a completion that succeeded; with the lock. */
        void onCompletion(WorkCompletion completion);

        /** Posts what follows from the completions; with the lock. */
        void transmit();

        /**
         * Does one thing that must not be done with the lock, such as serving a call; without the lock, after each batch of completions,
         * and as long as there is more. The queue is polled in between, so that what was posted is sent, and what has arrived for other
         * calls is received, before the next one is served.
         *
         * @return whether there is more
         */
        boolean serveNext();

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
                long leaseNs = drivenNs + LEASE_NS - System.nanoTime();
                if (leaseNs > 0) {
                    LockSupport.parkNanos(this, leaseNs);
                } else if (processing.tryLock()) {
                    lead();
                } else {
                    standBy();
                }
            }
        } finally {
            // A thread of the application that processes ends that soon.
            processing.lock();
            LockSupport.unpark(driver.get());
            owner.onEnd(failure);
        }
    }

    /** Processes until one thread of the application, and no other, wants to; the caller has taken {@link #processing}. */
    private void lead() {
        try {
            do {
                step();
            } while (!over && (driver.get() == null || others.get() > 0));
            drivenNs = System.nanoTime();
        } catch (VerbsException broken) {
            onBroken(broken);
        } finally {
            processing.unlock();
            LockSupport.unpark(driver.get());
        }
    }

    private void standBy() {
        standsBy = true;
        try {
            if (processing.isLocked() && !over) {
                LockSupport.park(this);
            }
        } finally {
            standsBy = false;
        }
    }

    private void onBroken(VerbsException broken) {
        failure = failure == null ? broken.getMessage() : failure;
        over = true;
    }

    /**
     * Waits for an outcome that the processing of a completion brings, and processes completions meanwhile, unless another thread of the
     * application does. What the owner does after a batch is then done by the caller's thread.
     *
     * @return false if the connection has ended, or the thread was interrupted, before the outcome
     */
    public boolean await(CompletableFuture<?> outcome) {
        Thread caller = Thread.currentThread();
        if (!driver.compareAndSet(null, caller)) {
            awaitAsOther(outcome);
            return outcome.isDone();
        }
        try {
            while (!outcome.isDone() && !over && !caller.isInterrupted()) {
                if (processing.tryLock()) {
                    drive(outcome, caller);
                } else {
                    LockSupport.parkNanos(this, LONGEST_SLEEP_NS);
                }
            }
        } finally {
            driver.set(null);
            boolean hasOthers = others.get() > 0;
            drivenNs = System.nanoTime() - (hasOthers ? LEASE_NS : 0);
            if (hasOthers || standsBy || over) {
                LockSupport.unpark(thread);
            }
        }
        return outcome.isDone();
    }

    private void drive(CompletableFuture<?> outcome, Thread caller) {
        try {
            while (!outcome.isDone() && !over && !caller.isInterrupted()) {
                step();
            }
        } catch (VerbsException broken) {
            if (broken.errno() != Errno.EINTR) {
                onBroken(broken);
            }
        } finally {
            processing.unlock();
        }
    }

    private void awaitAsOther(CompletableFuture<?> outcome) {
        others.incrementAndGet();
        try {
            outcome.get();
        } catch (ExecutionException | CancellationException failed) {
            // The caller takes the outcome.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            others.decrementAndGet();
        }
    }

    private void step() {
        if (process() || more) {
            more = owner.serveNext();
        } else {
            idle();
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
