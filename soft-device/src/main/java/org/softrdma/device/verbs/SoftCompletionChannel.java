// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.softrdma.device.agent.Deadline;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;

/** A queue of notifications by armed completion queues. */
final class SoftCompletionChannel implements CompletionChannel {
    final Dependents children = new Dependents();

    private final SoftContext context;
    private final EventQueue<SoftCompletionQueue> events;
    private final BooleanSupplier hasEvents;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Set<SoftCompletionQueue> queues = ConcurrentHashMap.newKeySet();

    SoftCompletionChannel(SoftContext context) {
        this.context = context;
        events = new EventQueue<>(SoftCompletionQueue::delivered, context.agent()::virtualTime);
        hasEvents = () -> !events.isEmpty() || events.isClosed();
        context.children.add("completion channels");
        context.living.add(this);
    }

    @Override
    public Context rdmaContext() {
        return context;
    }

    boolean isClosed() {
        return closed.get();
    }

    void announce(SoftCompletionQueue queue) {
        events.put(queue);
        context.agent().doorbell();
    }

    void add(SoftCompletionQueue queue) {
        children.add("completion queues");
        queues.add(queue);
    }

    /** Drops the events of a queue that is being destroyed. */
    void forget(SoftCompletionQueue queue) {
        events.removeIf(announced -> announced == queue);
    }

    @Override
    public CompletionQueue getEvent(long timeoutNs) {
        if (context.agent().virtualTime() != null) {
            return events.take("get_cq_event", timeoutNs);
        }
        SoftCompletionQueue queue = events.take("get_cq_event", 0);
        if (queue != null || timeoutNs == 0) {
            return queue;
        }
        if (context.strict() != null) {
            checkArmed();
        }
        // The waiting thread drives the device itself, unless another thread does; then that thread produces the events, and after it the
        // device's own.
        long untilNs = timeoutNs < 0 ? Deadline.NEVER : Deadline.after(timeoutNs, System.nanoTime());
        while (queue == null && !Deadline.isDue(untilNs, System.nanoTime())) {
            boolean led = context.agent().lead(hasEvents, untilNs) && !Thread.currentThread().isInterrupted();
            queue = events.take("get_cq_event", led ? 0 : leftNs(untilNs));
        }
        return queue;
    }

    /** Time for {@link EventQueue#take}: negative for no limit, else at least 1, so that an interrupt is noticed. */
    private static long leftNs(long untilNs) {
        return untilNs == Deadline.NEVER ? -1 : Math.max(1, Deadline.remainingNs(untilNs, System.nanoTime()));
    }

    /** Reports queues whose completions no event will announce, to a program that is held to the rules of adapters. */
    private void checkArmed() {
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            if (events.isEmpty()) {
                queues.forEach(SoftCompletionQueue::onWait);
            }
        } finally {
            owner.unlock();
        }
    }

    void remove(SoftCompletionQueue queue) {
        children.remove("completion queues");
        queues.remove(queue);
    }

    @Override
    public void close() {
        children.refuseIfAny("destroy_comp_channel");
        if (closed.compareAndSet(false, true)) {
            events.close("the completion channel");
            // A thread that waits may be driving the device.
            context.agent().doorbell();
            context.children.remove("completion channels");
            context.living.remove(this);
        }
    }

    @Override
    public String toString() {
        return "completion channel of " + context;
    }
}
