// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.rsocket.stream.StreamMachine;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.VerbsException;

/**
 * The lock of one stream, and the threads that wait with it. One of them sleeps at the device's completion channel, without the lock; the
 * others wait on a condition, which the first one signals when it wakes up. All methods but {@link #lock} require the lock.
 */
final class StreamLock {
    /** How long a waiting thread polls before it sleeps. Source: librdmacm's polling_time */
    private static final long SPIN_NS = 10_000;
    /** Longest sleep before state that other threads change is checked. Source: librdmacm's wake_up_interval */
    private static final long LONGEST_SLEEP_NS = 500_000_000L;

    /** State of a stream that a thread waits for. */
    enum Goal {
        READABLE, WRITABLE, ANY;

        private boolean isReached(StreamMachine machine) {
            return switch (this) {
                case READABLE -> machine.isReadable();
                case WRITABLE -> machine.isWritable();
                case ANY -> machine.isReadable() || machine.isWritable();
            };
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Threads that wait for a {@link Goal}. */
    private int waiting;
    /** A thread sleeps at the completion channel. */
    private boolean sleeping;
    /** The completion queue was armed and has not signalled its channel since. */
    private boolean armed;

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /** Makes all waiting threads check their conditions again. */
    void signalAll() {
        changed.signalAll();
    }

    /** Waits until no thread waits for a {@link Goal}. */
    void awaitOthers() {
        while (waiting > 0) {
            changed.awaitUninterruptibly();
        }
    }

    /**
     * Polls the completion queue until the goal or the timeout is reached, first without a pause and then as completions arrive.
     *
     * @param timeoutNs 0 to check only, negative to wait without a limit
     * @return whether the goal is reached
     * @throws AsynchronousCloseException another thread closed the connection
     */
    boolean await(Goal goal, RSocketConnection connection, StreamResources resources, long timeoutNs) throws IOException {
        long beganNs = System.nanoTime();
        waiting++;
        try {
            while (true) {
                connection.update();
                if (goal.isReached(resources.endpoint.machine())) {
                    return true;
                }
                if (connection.isClosed()) {
                    throw new AsynchronousCloseException();
                }
                long passedNs = System.nanoTime() - beganNs;
                if (timeoutNs >= 0 && passedNs >= timeoutNs) {
                    return false;
                }
                if (passedNs < SPIN_NS) {
                    Thread.onSpinWait();
                } else {
                    awaitCompletion(resources, timeoutNs < 0 ? LONGEST_SLEEP_NS : Math.min(LONGEST_SLEEP_NS, timeoutNs - passedNs));
                }
            }
        } finally {
            waiting--;
            changed.signalAll();
        }
    }

    /**
     * Waits for {@link #signalAll}.
     *
     * @param timeoutNs negative to wait without a limit
     * @return nanoseconds left of the timeout; negative without a limit
     */
    long awaitChange(long timeoutNs) throws InterruptedIOException {
        try {
            if (timeoutNs < 0) {
                changed.await();
                return timeoutNs;
            }
            return Math.max(0, changed.awaitNanos(timeoutNs));
        } catch (InterruptedException interrupted) {
            throw interrupted();
        }
    }

    /**
     * Waits for a completion. The first call only arms the completion queue and returns: completions that arrived before must be polled
     * once more before a later call may sleep.
     *
     * @param timeoutNs not negative
     */
    void awaitCompletion(StreamResources resources, long timeoutNs) throws InterruptedIOException {
        if (sleeping) {
            awaitChange(timeoutNs);
        } else if (!armed) {
            resources.cq.requestNotify();
            armed = true;
        } else {
            sleep(resources, timeoutNs);
        }
    }

    private void sleep(StreamResources resources, long timeoutNs) throws InterruptedIOException {
        sleeping = true;
        lock.unlock();
        CompletionQueue signalled = null;
        try {
            signalled = resources.channel.getEvent(timeoutNs);
        } catch (VerbsException interrupted) {
            throw interrupted();
        } finally {
            lock.lock();
            sleeping = false;
            if (signalled != null) {
                signalled.ackEvents(1);
                armed = false;
            }
            changed.signalAll();
        }
    }

    private static InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted while waiting for the peer");
    }
}
