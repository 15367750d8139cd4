// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** A blocking queue of events that knows how verbs wait: with a timeout, for ever, or not at all. Any thread. */
public final class EventQueue<T> {
    /** Pause between rounds in which no device had work. */
    private static final long DRIVEN_PARK_NS = 50_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<T> events = new ArrayDeque<>();
    private final Consumer<T> onDelivery;
    private final int maxWaiting;
    private volatile int waiting;

    /**
     * A queue whose users put in no more than they have room for.
     *
     * @param onDelivery called with every event handed out, in one step with taking it: whoever removes an event knows which it is
     */
    public EventQueue(Consumer<T> onDelivery) {
        this(onDelivery, Integer.MAX_VALUE);
    }

    /** @param maxWaiting events that wait to be taken at most: one more, and the oldest is forgotten */
    public EventQueue(Consumer<T> onDelivery, int maxWaiting) {
        this.onDelivery = onDelivery;
        this.maxWaiting = maxWaiting;
    }

    /** @return false if the oldest event was forgotten for it */
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

    /** Drops undelivered events. @return how many */
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
     * @param timeoutNs 0 to look only, negative for ever
     * @return null when the time is over
     * @throws VerbsException EINTR
     */
    public T take(String verb, long timeoutNs) {
        if (timeoutNs != 0 && DeviceThreads.count() > 0) {
            return driveAndTake(verb, timeoutNs);
        }
        long leftNs = timeoutNs;
        lock.lock();
        try {
            while (events.isEmpty()) {
                if (timeoutNs >= 0 && leftNs <= 0) {
                    return null;
                }
                leftNs = arrived.awaitNanos(timeoutNs < 0 ? TimeUnit.HOURS.toNanos(1) : leftNs);
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

    /** Waits where the application drives its devices: the event may have to come from one of them. */
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

    private static VerbsException interrupted(String verb) {
        return new VerbsException(Errno.EINTR, verb, "the waiting thread was interrupted");
    }
}
