// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.device.threads.DeviceThreads;

/**
 * How a leader idles: it spins for a moment after the last work, then parks on the link. Not one of Agrona's idle strategies, because
 * those can neither be woken nor told a deadline.
 *
 * <p>No wake-up is lost: the leader announces that it is about to park, looks for work once more, and only then sleeps; a thread that
 * brings work makes it visible first and then looks at the announcement.
 */
final class Parking {
    /** Bounds the sleep of a device without deadlines, for calls that cannot wait for ever. No work depends on its end. */
    private static final long LONGEST_PARK_NS = 3_600_000_000_000L;

    private final DeviceWork work;
    private final ReentrantLock lock;
    /** The leader is about to park, or parked. */
    private volatile boolean parked;
    /** When a parked leader wakes by itself. Written with the lock held. */
    private long sleepsUntilNs;
    /** When the leader last had work; the leader's. */
    private long busyNs = System.nanoTime();
    /** How long after the last work the leader keeps spinning before it parks: usually, parking and waking cost more than that. */
    private final long spinNs = DeviceThreads.spinNs();

    /** @param lock the device's */
    Parking(DeviceWork work, ReentrantLock lock) {
        this.work = work;
        this.lock = lock;
    }

    /** Takes note of a round that did {@code did}; true if it is time to park, else spins a little if there was nothing. */
    boolean isIdle(int did, long nowNs) {
        if (did > 0) {
            busyNs = nowNs;
            return false;
        }
        if (nowNs - busyNs < spinNs) {
            Thread.onSpinWait();
            return false;
        }
        return true;
    }

    /** The leader is about to park: from now on it is woken. */
    void announce() {
        parked = true;
    }

    /** The leader is awake. */
    void end() {
        parked = false;
    }

    /** Sleeps until the device's deadline, {@code untilNs}, a packet, {@link #wake}, or the longest time. */
    void await(long untilNs) {
        long timeoutNs;
        lock.lock();
        try {
            long nowNs = System.nanoTime();
            sleepsUntilNs = Deadline.earlier(work.deadlineNs(), nowNs + LONGEST_PARK_NS);
            timeoutNs = Deadline.remainingNs(Deadline.earlier(sleepsUntilNs, untilNs), nowNs);
        } finally {
            lock.unlock();
        }
        if (timeoutNs > 0) {
            work.await(timeoutNs);
        }
    }

    /** Whether a leader sleeps past the device's deadline of now. With the lock held. */
    boolean isTooLateFor(DeviceWork device) {
        return parked && Deadline.isBefore(device.deadlineNs(), sleepsUntilNs);
    }

    /** Wakes the leader if it is parked, or about to. */
    void wake() {
        if (parked) {
            work.wakeup();
        }
    }
}
