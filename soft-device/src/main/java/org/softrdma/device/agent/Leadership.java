// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Says which thread leads: at most one. Application threads go before the device's own thread, which gives the lead up when one of them
 * wants it, and stays away as long as an application drove the device within the lease.
 */
final class Leadership {
    /** An application that drove this recently is expected to do so again. */
    private static final long LEASE_NS = 1_000_000;
    /** How long an application waits for the device's thread to give the lead up. */
    private static final long HANDSHAKE_NS = 10_000_000;

    private final ReentrantLock lead = new ReentrantLock();
    private final Runnable wakeLeader;
    /** Application threads that wait for the device's thread to give the lead up. */
    private final AtomicInteger wanted = new AtomicInteger();
    private volatile boolean agentLeads;
    /** The device's thread while it sleeps because an application's thread leads; else null. */
    private volatile Thread sleeper;
    private volatile long drivenNs = System.nanoTime() - LEASE_NS;

    Leadership(Runnable wakeLeader) {
        this.wakeLeader = wakeLeader;
    }

    /**
     * Takes the lead for an application's thread.
     *
     * @return false if another application's thread has it
     */
    boolean take() {
        if (lead.tryLock()) {
            return true;
        }
        if (!agentLeads) {
            return false;
        }
        wanted.incrementAndGet();
        wakeLeader.run();
        try {
            return lead.tryLock(HANDSHAKE_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            wanted.decrementAndGet();
        }
    }

    /**
     * Takes the lead for the device's thread.
     *
     * @return false if an application's thread has it
     */
    boolean takeAsAgent() {
        agentLeads = true;
        boolean taken = lead.tryLock();
        if (!taken) {
            agentLeads = false;
        }
        return taken;
    }

    /** Ends {@link #take}. */
    void giveBack() {
        lead.unlock();
        Thread asleep = sleeper;
        if (asleep != null) {
            LockSupport.unpark(asleep);
        }
    }

    /**
     * Has the device's thread sleep until the application's thread that leads gives the lead back. May return early. An application that
     * drives the device within each lease never causes the sleep, and so need not pay for its end.
     */
    void awaitEndOfLead() {
        sleeper = Thread.currentThread();
        try {
            if (lead.isLocked()) {
                LockSupport.park(this);
            }
        } finally {
            sleeper = null;
        }
    }

    /** Ends {@link #takeAsAgent}. */
    void giveBackAsAgent() {
        lead.unlock();
        agentLeads = false;
    }

    /** Whether an application's thread waits for the lead. */
    boolean isWanted() {
        return wanted.get() > 0;
    }

    /** An application's thread drove the device. */
    void noteDriven(long nowNs) {
        drivenNs = nowNs;
    }

    /** How long the device's thread stays away yet; 0 or less if it may lead. */
    long leaseNs() {
        return drivenNs + LEASE_NS - System.nanoTime();
    }
}
