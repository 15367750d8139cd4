// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.device.agent.VirtualTime;
import org.softrdma.device.verbs.Dependents;
import org.softrdma.device.verbs.EventQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.EventChannel;

/**
 * A queue of events, bounded by the backlogs of the listeners and by the few events that one connection can have.
 */
final class SoftEventChannel implements EventChannel {
    private final SoftConnectionManager manager;
    /** Null for a channel that is only waited on. */
    private final CmEventListener listener;
    private final EventQueue<SoftCmEvent> events;
    private final Dependents identifiers = new Dependents();
    private final AtomicBoolean closed = new AtomicBoolean();

    SoftEventChannel(SoftConnectionManager manager) {
        this(manager, null);
    }

    /** Creates a channel whose events are reported to a listener; null for none. */
    SoftEventChannel(SoftConnectionManager manager, CmEventListener listener) {
        this.manager = manager;
        events = new EventQueue<>(SoftCmEvent::delivered, manager.host()::virtualTime);
        this.listener = listener;
        manager.begin();
    }

    void add() {
        if (closed.get()) {
            throw new VerbsException(Errno.EINVAL, "create_id", "the event channel is closed");
        }
        identifiers.add("identifiers");
    }

    void remove() {
        identifiers.remove("identifiers");
    }

    void put(SoftCmEvent event) {
        if (listener == null) {
            events.put(event);
        } else if (listener.admits(event)) {
            events.put(event);
            listener.onQueued();
        }
    }

    /** Removes and returns the events that were not handed out yet, oldest first. */
    List<SoftCmEvent> removeAllOf(SoftCmId owner) {
        List<SoftCmEvent> removed = new ArrayList<>();
        events.removeIf(event -> event.owner() == owner && removed.add(event));
        if (listener != null && !removed.isEmpty()) {
            listener.onRemoved(removed.size());
        }
        return removed;
    }

    @Override
    public CmEvent getEvent(long timeoutNs) {
        return next("get_cm_event", timeoutNs);
    }

    SoftCmEvent next(String verb, long timeoutNs) {
        long untilNs = nowNs() + timeoutNs;
        long leftNs = timeoutNs;
        while (true) {
            SoftCmEvent event = events.take(verb, leftNs);
            if (event == null || event.id().prepare(event)) {
                return event;
            }
            // The event was for the connection manager only.
            event.ack();
            leftNs = timeoutNs <= 0 ? timeoutNs : Math.max(0, untilNs - nowNs());
        }
    }

    private long nowNs() {
        VirtualTime time = manager.host().virtualTime();
        return time == null ? System.nanoTime() : time.nowNs();
    }

    @Override
    public void close() {
        if (closed.get()) {
            return;
        }
        identifiers.refuseIfAny("destroy_event_channel");
        if (closed.compareAndSet(false, true)) {
            events.close("the event channel");
            manager.end();
        }
    }
}
