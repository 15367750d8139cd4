// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.Agent;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.verbs.provider.Interruption;

/**
 * Owns a device's state: the holder of {@link #lock} is the owner, and only the owner runs protocol code. One thread at a time leads:
 * it parks on the link when there is nothing to do, and is the one to be woken.
 *
 * <p>By default that is a thread of the device's own ({@link AgentThread}). But an application thread that polls drives the device
 * ({@link #tryDrive}), and one that waits for an event leads ({@link #lead}), so that neither pays for a hop between threads; the device's
 * thread then stays away until nobody has driven for a millisecond. Control verbs hold the lock for the length of the call. Where
 * {@link DeviceThreads} says that the application drives, the device has no thread, and is one {@link Agent} among others.
 */
public class DeviceAgent implements Agent, AutoCloseable {
    /** Longest sleep of a thread that is in one device while others of the process depend on it. */
    private static final long SHARED_PARK_NS = 100_000;
    /** Rounds that {@link #sendPosted} runs at most: traffic of others must not keep its caller. */
    private static final int ROUNDS_TO_SEND = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final DeviceWork work;
    private final String roleName;
    private final Parking parking;
    private final Leadership leadership = new Leadership(this::doorbell);
    /** Of the application's thread that leads: the link's wait does not end by itself when the thread is interrupted. */
    private final Interruption interruption = new Interruption(this::doorbell);
    /** Null if the device has none. */
    private final AgentThread thread;
    /** Driven by a simulator, one step at a time: no call of an application may do work, except through {@link #virtualTime}. */
    private final boolean simulated;
    /** Time that waiting callers of a simulated device let pass; null if only the simulator runs it. */
    private volatile VirtualTime virtualTime;
    private volatile boolean running = true;
    /** The last round driven by a poller brought it a receive and did not send: its answer is awaited. Written by the owner. */
    private volatile boolean sendingLeft;
    /** A post was sent at once since the last round: what is posted now is one of many. Written by the owner. */
    private volatile boolean sentAtOnce;

    /** @param name of the device, for its thread's name; null for an agent that only a simulator drives */
    public DeviceAgent(DeviceWork work, String name) {
        this.work = work;
        simulated = name == null;
        roleName = "softrdma-" + name;
        parking = new Parking(work, lock);
        thread = simulated || DeviceThreads.isApplicationDriven() ? null : new AgentThread(this, roleName);
    }

    /** Starts the device's thread, or enters the device among those that the application drives. */
    public void start() {
        if (thread != null) {
            thread.start();
        } else if (!simulated) {
            DeviceThreads.add(this);
        }
    }

    /** Has calls that wait for this simulated device, and polls of its empty completion queues, let virtual time pass. */
    public void virtualTime(VirtualTime time) {
        assert simulated : roleName;
        virtualTime = time;
    }

    /** Returns what calls that wait for this device let pass: null for real time. */
    public VirtualTime virtualTime() {
        return virtualTime;
    }

    /** Held for every look at or change of protocol state outside {@link DeviceWork#doWork}. */
    public ReentrantLock lock() {
        return lock;
    }

    /**
     * Sets the only source of work that programs outside this process post.
     *
     * @throws org.softrdma.verbs.VerbsException EOPNOTSUPP: the device waits in a way that the door's descriptor cannot end
     */
    public void frontDoor(FrontDoor door) {
        lock.lock();
        try {
            work.frontDoor(door);
        } finally {
            lock.unlock();
        }
        doorbell();
    }

    /** Wakes the leader if it is parked: work was posted, or an awaited event has arrived. Any thread; does not block. */
    public void doorbell() {
        parking.wake();
    }

    /**
     * Wakes the leader as {@link #doorbell()} does. But if the work is {@code urgent} or an answer to what was just received, the first
     * since the last round, and no thread is at the device, then the caller's thread sends it at once. What is one of many waits for the
     * next round, which sends them together: the next poll's, or within a millisecond that of the device's thread. What the owner posts
     * within a round goes out at the end of that.
     */
    public void doorbell(boolean urgent) {
        if (simulated || lock.isHeldByCurrentThread() || !urgent && !sendingLeft || sentAtOnce || !lock.tryLock()) {
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
        // The leader may be parked until a deadline that is too late now.
        doorbell();
    }

    /**
     * Sends what was posted before on the caller's thread, as far as that needs no input and is not more than a batch for each of 64
     * rounds; waits while another thread is at the device.
     */
    public void sendPosted() {
        lock.lock();
        try {
            int rounds = ROUNDS_TO_SEND;
            while (rounds > 0 && work.transmit(System.nanoTime()) > 0) {
                rounds--;
            }
        } finally {
            lock.unlock();
        }
        doorbell();
    }

    /**
     * Runs one round on the caller's thread, unless another thread is at it. A round that brings the caller something to receive leaves the
     * sending to the next one, whatever that brings: the acknowledgement then goes out with the caller's answer instead of delaying it.
     */
    public void tryDrive() {
        VirtualTime time = virtualTime;
        if (time != null) {
            time.onEmptyPoll();
        }
        if (simulated || !lock.tryLock()) {
            return;
        }
        boolean wakeLeader;
        try {
            long nowNs = System.nanoTime();
            leadership.noteDriven(nowNs);
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
            // If the caller stops polling, a leader that parked earlier would miss the new deadline.
            wakeLeader = leaves || parking.isTooLateFor(work);
        } finally {
            lock.unlock();
        }
        if (wakeLeader) {
            doorbell();
        }
    }

    /** One round for an application's own duty cycle, {@link DeviceThreads}; waits while another thread is at the device. */
    @Override
    public int doWork() {
        leadership.noteDriven(System.nanoTime());
        return round();
    }

    @Override
    public String roleName() {
        return roleName;
    }

    /**
     * Lets the caller's thread lead until {@code done}, the time is over, or the thread is interrupted.
     *
     * @param done    cheap; whatever makes it true must be followed by {@link #doorbell()}
     * @param untilNs on {@link System#nanoTime}'s clock, or {@link Deadline#NEVER}
     * @return false if another application thread leads and does the work: then the caller waits for its result
     */
    public boolean lead(BooleanSupplier done, long untilNs) {
        if (simulated || !leadership.take()) {
            return false;
        }
        try {
            while (running && !done.getAsBoolean() && !Deadline.isDue(untilNs, System.nanoTime())
                && !Thread.currentThread().isInterrupted()) {
                leadership.noteDriven(System.nanoTime());
                int did = thread == null ? DeviceThreads.driveAll() : round();
                long nowNs = System.nanoTime();
                if (parking.isIdle(did, nowNs)) {
                    park(done, sharedUntil(untilNs, nowNs), interruption);
                }
            }
            leadership.noteDriven(System.nanoTime());
        } finally {
            leadership.giveBack();
        }
        return true;
    }

    Leadership leadership() {
        return leadership;
    }

    /** A step of the device's thread: a round; if that and those of the last moment found nothing to do, it parks. */
    void roundOrPark(BooleanSupplier done) {
        int did = round();
        if (parking.isIdle(did, System.nanoTime())) {
            park(done, Deadline.NEVER, null);
        }
    }

    /**
     * Bounds the sleep of a leader in an application that drives its devices: other devices of the process, among them perhaps this one's
     * peer, get their rounds from it as well, and must not wait long for the next.
     */
    private long sharedUntil(long untilNs, long nowNs) {
        return thread == null && DeviceThreads.count() > 1 ? Deadline.earlier(untilNs, nowNs + SHARED_PARK_NS) : untilNs;
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

    /**
     * Parks on the link until the device's deadline, unless work arrived after the last round but before others knew of the parking.
     *
     * @param by ends the wait when the thread is interrupted; null for a thread that is not
     */
    private void park(BooleanSupplier done, long untilNs, Interruption by) {
        parking.announce();
        try {
            if (round() == 0 && !done.getAsBoolean() && running) {
                awaitUntil(untilNs, by);
            }
        } finally {
            parking.end();
        }
    }

    private void awaitUntil(long untilNs, Interruption by) {
        if (by == null) {
            parking.await(untilNs);
            return;
        }
        by.beginWait();
        try {
            parking.await(untilNs);
        } finally {
            by.endWait();
        }
    }

    /** Ends the device's thread and waits for it; a leading application thread returns from {@link #lead}. */
    @Override
    public void close() {
        running = false;
        if (thread != null) {
            thread.close();
        } else if (!simulated) {
            DeviceThreads.remove(this);
            doorbell();
        }
    }

    void wakeup() {
        work.wakeup();
    }
}
