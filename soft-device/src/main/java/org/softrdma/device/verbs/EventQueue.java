// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.VirtualTime;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** A blocking queue of events with the three ways to wait that verbs have: with a timeout, without one, or not at all. Any thread. */
public final class EventQueue<T> {
    /** Pause between rounds of work in which no device had anything to do. */
    private static final long DRIVEN_PARK_NS = 50_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<T> events = new ArrayDeque<>();
    private final Consumer<T> onDelivery;
    private final int maxWaiting;
    /** Time that waiting calls let pass; supplies null for real time. */
    private final Supplier<VirtualTime> virtualTime;
    private volatile int waiting;
    /** Name of the object that the queue belonged to; null while that is open. */
    private volatile String closed;

    /**
     * Creates a queue without an upper bound: its users limit the number of waiting events themselves.
     *
     * @param onDelivery  called with every delivered event, atomically with its removal from the queue
     * @param virtualTime time that waiting calls let pass; supplies null for real time
     */
    public EventQueue(Consumer<T> onDelivery, Supplier<VirtualTime> virtualTime) {
        this(onDelivery, Integer.MAX_VALUE, virtualTime);
    }

    /**
     * Creates a bounded queue.
     *
     * @param onDelivery  called with every delivered event, atomically with its removal from the queue
     * @param maxWaiting  maximum number of undelivered events; beyond it the oldest event is dropped
     * @param virtualTime time that waiting calls let pass; supplies null for real time
     */
    public EventQueue(Consumer<T> onDelivery, int maxWaiting, Supplier<VirtualTime> virtualTime) {
        this.onDelivery = onDelivery;
        this.maxWaiting = maxWaiting;
        this.virtualTime = virtualTime;
    }

    /**
     * Appends an event.
     *
     * @return false if the oldest event was dropped to make room
     */
    public boolean put(T event) {
        lock.lock();
        try {
            boolean room = events.size() < maxWaiting;
            if (!room) {
                events.remove();
            }
            events.add(event);
            waiting = events.size();
            arrived.signal();
            return room;
        } finally {
            lock.unlock();
        }
    }

    public boolean isEmpty() {
        return waiting == 0;
    }

    /**
     * Closes the queue: every call of {@link #take} fails from now on, and those that wait do.
     *
     * @param owner what was closed, for the message: {@code the context}
     */
    public void close(String owner) {
        lock.lock();
        try {
            closed = owner;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed != null;
    }

    private void requireOpen(String verb) {
        if (closed != null) {
            throw new VerbsException(Errno.EINVAL, verb, closed + " is closed");
        }
    }

    /**
     * Drops the undelivered events that match.
     *
     * @return number of dropped events
     */
    public int removeIf(Predicate<T> which) {
        lock.lock();
        try {
            int before = events.size();
            events.removeIf(which);
            waiting = events.size();
            return before - events.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes the oldest event, waiting for one if there is none.
     *
     * @param verb      name of the calling verb, for the exception
     * @param timeoutNs 0 to return at once, negative to wait without limit
     * @return null on timeout
     * @throws VerbsException EINTR if the thread was interrupted; its interrupt flag stays set. EINVAL after {@link #close}
     */
    public T take(String verb, long timeoutNs) {
        VirtualTime time = virtualTime.get();
        if (timeoutNs != 0 && time != null) {
            return pauseAndTake(verb, time, timeoutNs);
        }
        if (timeoutNs != 0 && DeviceThreads.count() > 0) {
            return driveAndTake(verb, timeoutNs);
        }
        long leftNs = timeoutNs;
        lock.lock();
        try {
            requireOpen(verb);
            while (events.isEmpty()) {
                if (timeoutNs >= 0 && leftNs <= 0) {
                    return null;
                }
                if (timeoutNs < 0) {
                    arrived.await();
                } else {
                    leftNs = arrived.awaitNanos(leftNs);
                }
                requireOpen(verb);
            }
            T event = events.remove();
            waiting = events.size();
            onDelivery.accept(event);
            return event;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(verb);
        } finally {
            lock.unlock();
        }
    }

    /** Waits in a program that drives its devices itself: runs the devices meanwhile, because one of them may have to cause the event. */
    private T driveAndTake(String verb, long timeoutNs) {
        long untilNs = timeoutNs < 0 ? Deadline.NEVER : Deadline.after(timeoutNs, System.nanoTime());
        T event = take(verb, 0);
        while (event == null && !Deadline.isDue(untilNs, System.nanoTime())) {
            if (Thread.currentThread().isInterrupted()) {
                throw interrupted(verb);
            }
            DeviceThreads.pause(DRIVEN_PARK_NS);
            event = take(verb, 0);
        }
        return event;
    }

    /** Waits on virtual time. */
    private T pauseAndTake(String verb, VirtualTime time, long timeoutNs) {
        long untilNs = timeoutNs < 0 ? Deadline.NEVER : Deadline.after(timeoutNs, time.nowNs());
        T event = take(verb, 0);
        while (event == null && !Deadline.isDue(untilNs, time.nowNs())) {
            time.pause(verb, untilNs);
            event = take(verb, 0);
        }
        return event;
    }

    private static VerbsException interrupted(String verb) {
        return new VerbsException(Errno.EINTR, verb, "the waiting thread was interrupted");
    }
}
