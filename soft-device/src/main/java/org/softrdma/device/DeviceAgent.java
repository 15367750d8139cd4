// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device;

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Owns a device's state: whoever holds {@link #lock} is the owner, and only the owner runs protocol code. Usually that is the agent's own
 * thread, parked while idle. An application thread that polls drives the device itself when nobody else does, so that polled latency
 * needs no thread hop; control verbs take the lock for the length of the call.
 */
public class DeviceAgent implements AutoCloseable {
    /** While an application drove within this time, the agent's thread leaves packets to it and only looks after timers. */
    private static final long DRIVEN_RECENTLY_NS = 200_000;
    private static final long SLOWEST_ROUND_NS = 100_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final DeviceWork work;
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean parked;
    private volatile long drivenNs = System.nanoTime() - DRIVEN_RECENTLY_NS;

    /** @param name of the device, for the thread's name; null for an agent without thread, driven by a simulator only */
    public DeviceAgent(DeviceWork work, String name) {
        this.work = work;
        thread = name == null ? null : Thread.ofPlatform().daemon().name("softrdma-" + name).unstarted(this::run);
    }

    public void start() {
        if (thread != null) {
            thread.start();
        }
    }

    /** Held for every look at or change of protocol state outside {@link DeviceWork#doWork}. */
    public ReentrantLock lock() {
        return lock;
    }

    /** Work was posted: somebody must run the device soon. Any thread; does not block. */
    public void doorbell() {
        if (parked) {
            work.wakeup();
        }
    }

    /** A thread that used to poll is going to sleep: the agent's thread takes the device back at once. */
    public void handOver() {
        drivenNs = System.nanoTime() - DRIVEN_RECENTLY_NS;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    /** Runs one round on the caller's thread, unless another thread is at it. */
    public void tryDrive() {
        if (thread == null || !lock.tryLock()) {
            return;
        }
        try {
            long nowNs = System.nanoTime();
            drivenNs = nowNs;
            work.doWork(nowNs);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (running) {
            int done = 0;
            lock.lock();
            try {
                done = work.doWork(System.nanoTime());
            } finally {
                lock.unlock();
            }
            if (done == 0) {
                park();
            } else if (lock.hasQueuedThreads()) {
                Thread.yield();
            }
        }
    }

    private void park() {
        if (System.nanoTime() - drivenNs < DRIVEN_RECENTLY_NS) {
            LockSupport.parkNanos(this, DRIVEN_RECENTLY_NS);
            return;
        }
        parked = true;
        try {
            long deadlineNs;
            lock.lock();
            try {
                // A doorbell rung before `parked` was set found nobody to wake: look once more.
                if (work.doWork(System.nanoTime()) > 0) {
                    return;
                }
                deadlineNs = work.deadlineNs();
            } finally {
                lock.unlock();
            }
            long timeoutNs = deadlineNs == Long.MAX_VALUE ? SLOWEST_ROUND_NS : Math.min(deadlineNs - System.nanoTime(), SLOWEST_ROUND_NS);
            if (timeoutNs > 0 && running) {
                work.await(timeoutNs);
            }
        } finally {
            parked = false;
        }
    }

    /** Ends the thread and waits for it. */
    @Override
    public void close() {
        running = false;
        work.wakeup();
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            LockSupport.unpark(thread);
            try {
                thread.join(100);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
