// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Owns a device's state: whoever holds {@link #lock} is the owner, and only the owner runs protocol code. One thread at a time leads: it
 * parks on the link when there is nothing to do, and is the one to be woken.
 *
 * <p>By itself that is the agent's thread. But an application thread that polls drives the device ({@link #tryDrive}), and one that waits
 * for an event leads ({@link #lead}), so that neither pays for a hop between threads; the agent's thread then stays away until nobody has
 * driven for a millisecond. Control verbs hold the lock for the length of the call.
 */
public class DeviceAgent implements AutoCloseable {
    /** An application that drove this recently is expected to do so again. */
    private static final long LEASE_NS = 1_000_000;
    private static final long LONGEST_PARK_NS = 100_000_000;
    /** So long after the last work the leader keeps looking before it parks: parking and waking cost more than that. */
    private static final long SPIN_NS = 20_000;
    /** How long an application waits for the agent's thread to give the lead up. */
    private static final long HANDSHAKE_NS = 10_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock lead = new ReentrantLock();
    private final DeviceWork work;
    private final Thread thread;
    private final BooleanSupplier isLeadWanted;
    private volatile boolean running = true;
    /** The leader is about to park, or parked. */
    private volatile boolean parked;
    /** When a leader that is parked looks by itself. Written with the lock held. */
    private long sleepsUntilNs;
    private volatile boolean agentLeads;
    /** Application threads that wait for the agent's thread to give the lead up. */
    private final AtomicInteger leadWanted = new AtomicInteger();
    /** The last round driven by a poller brought it a receive and did not send: its answer is awaited. Written by the owner. */
    private volatile boolean sendingLeft;
    /** A post was sent at once since the last round: what is posted now is one of many. Written by the owner. */
    private volatile boolean sentAtOnce;
    /** When the leader last had work; the leader's. */
    private long busyNs = System.nanoTime() - SPIN_NS;
    private volatile long drivenNs = System.nanoTime() - LEASE_NS;

    /** @param name of the device, for the thread's name; null for an agent without thread, driven by a simulator only */
    public DeviceAgent(DeviceWork work, String name) {
        this.work = work;
        isLeadWanted = () -> leadWanted.get() > 0;
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

    /** Work was posted, or something waited for has come: somebody must look soon. Any thread; does not block. */
    public void doorbell() {
        if (parked) {
            work.wakeup();
        }
    }

    /**
     * As {@link #doorbell}, but if the work is {@code urgent} or an answer to what was just received, the first since the last round, and
     * nobody is at the device, then the caller's thread sends it at once. What is one of many waits for the next round, which sends them
     * together: the next poll's, or within a millisecond the agent's.
     */
    public void doorbell(boolean urgent) {
        if (thread == null || !urgent && !sendingLeft || sentAtOnce || !lock.tryLock()) {
            doorbell();
            return;
        }
        try {
            sendingLeft = false;
            sentAtOnce = true;
            work.transmit(System.nanoTime());
        } finally {
            lock.unlock();
        }
        // The leader parks until a deadline that may be too late now.
        doorbell();
    }

    /**
     * Runs one round on the caller's thread, unless another thread is at it. A round that brings the caller something to receive leaves the
     * sending to the next one, whatever that brings: the acknowledgement then goes out with the caller's answer instead of delaying it.
     */
    public void tryDrive() {
        if (thread == null || !lock.tryLock()) {
            return;
        }
        boolean goesOn;
        try {
            long nowNs = System.nanoTime();
            drivenNs = nowNs;
            boolean wasLeft = sendingLeft;
            sentAtOnce = false;
            boolean received = work.receive(nowNs);
            boolean leaves = received && !wasLeft;
            if (!leaves) {
                work.transmit(nowNs);
            }
            if (wasLeft || received) {
                sendingLeft = leaves;
            }
            goesOn = leaves || parked && work.deadlineNs() < sleepsUntilNs;
        } finally {
            lock.unlock();
        }
        if (goesOn) {
            // Who parked before the caller came to drive would not look in time, if the caller goes away.
            doorbell();
        }
    }

    /**
     * Lets the caller's thread lead until {@code done}, the time is over, or the thread is interrupted.
     *
     * @param done    cheap; what makes it true must be followed by {@link #doorbell}
     * @param untilNs on {@link System#nanoTime}'s clock
     * @return false if another application thread leads; then wait otherwise, that thread does the work
     */
    public boolean lead(BooleanSupplier done, long untilNs) {
        if (thread == null || !takeLead()) {
            return false;
        }
        try {
            while (running && !done.getAsBoolean() && System.nanoTime() - untilNs < 0 && !Thread.currentThread().isInterrupted()) {
                drivenNs = System.nanoTime();
                roundOrPark(done, untilNs);
            }
            drivenNs = System.nanoTime();
        } finally {
            lead.unlock();
        }
        return true;
    }

    private boolean takeLead() {
        if (lead.tryLock()) {
            return true;
        }
        if (!agentLeads) {
            return false;
        }
        leadWanted.incrementAndGet();
        doorbell();
        try {
            return lead.tryLock(HANDSHAKE_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            leadWanted.decrementAndGet();
        }
    }

    private void run() {
        while (running) {
            long leaseNs = drivenNs + LEASE_NS - System.nanoTime();
            if (leaseNs > 0) {
                LockSupport.parkNanos(this, leaseNs);
            } else {
                agentLeads = true;
                boolean led = lead.tryLock();
                if (led) {
                    try {
                        leadAsAgent();
                    } finally {
                        lead.unlock();
                    }
                }
                agentLeads = false;
                if (!led) {
                    LockSupport.parkNanos(this, LEASE_NS);
                }
            }
        }
    }

    private void leadAsAgent() {
        while (running && leadWanted.get() == 0 && System.nanoTime() - drivenNs >= LEASE_NS) {
            roundOrPark(isLeadWanted, Long.MAX_VALUE);
            if (lock.hasQueuedThreads()) {
                Thread.yield();
            }
        }
    }

    private void roundOrPark(BooleanSupplier done, long untilNs) {
        if (round() > 0) {
            busyNs = System.nanoTime();
        } else if (System.nanoTime() - busyNs < SPIN_NS) {
            Thread.onSpinWait();
        } else {
            park(done, untilNs);
        }
    }

    private int round() {
        lock.lock();
        try {
            sentAtOnce = false;
            return work.doWork(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Parks on the link until the device's deadline, unless there is a reason not to that came up while nobody was to be woken. */
    private void park(BooleanSupplier done, long untilNs) {
        parked = true;
        try {
            if (round() > 0 || done.getAsBoolean() || !running) {
                return;
            }
            long timeoutNs;
            lock.lock();
            try {
                long nowNs = System.nanoTime();
                sleepsUntilNs = Math.min(work.deadlineNs(), nowNs + LONGEST_PARK_NS);
                timeoutNs = Math.min(sleepsUntilNs - nowNs, untilNs - nowNs);
            } finally {
                lock.unlock();
            }
            if (timeoutNs > 0) {
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
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            work.wakeup();
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
