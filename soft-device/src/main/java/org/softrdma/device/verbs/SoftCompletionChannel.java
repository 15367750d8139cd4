// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;

/** A queue of completion queues that have something to say. */
final class SoftCompletionChannel implements CompletionChannel {
    final Children children = new Children();

    private final SoftContext context;
    private final EventQueue<SoftCompletionQueue> events = new EventQueue<>(SoftCompletionQueue::delivered);
    private final AtomicBoolean closed = new AtomicBoolean();

    SoftCompletionChannel(SoftContext context) {
        this.context = context;
        context.children.add("completion channels");
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
    }

    void forget(SoftCompletionQueue queue) {
        events.removeIf(announced -> announced == queue);
    }

    @Override
    public CompletionQueue getEvent(long timeoutNs) {
        SoftCompletionQueue queue = events.take("get_cq_event", 0);
        if (queue == null && timeoutNs != 0) {
            context.agent().handOver();
            queue = events.take("get_cq_event", timeoutNs);
        }
        return queue;
    }

    @Override
    public void close() {
        children.refuseIfAny("destroy_comp_channel");
        if (closed.compareAndSet(false, true)) {
            context.children.remove("completion channels");
        }
    }
}
