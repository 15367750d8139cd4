// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/** Directed requests: a few under way at a time, each repeated until it is answered or was sent {@link #MAX_TRIES} times. */
final class RequestQueue {
    /** Requests under way at a time; queue pairs 0 have room for little more. */
    static final int WINDOW = 16;
    /** Times that a request is sent at most. */
    static final int MAX_TRIES = 6;

    private final Counters<SmCounter> counters;
    private final ArrayDeque<Request> waiting = new ArrayDeque<>();
    private final Map<Long, Request> underWay = new LinkedHashMap<>();
    private final ArrayDeque<Request> due = new ArrayDeque<>();
    private final long timeoutNs;
    private long nextTransaction;

    private static final class Request {
        final long transactionId;
        final ByteBuffer mad;
        final Consumer<ByteBuffer> answered;
        int tries;
        long dueNs;

        Request(long transactionId, ByteBuffer mad, Consumer<ByteBuffer> answered) {
            this.transactionId = transactionId;
            this.mad = mad;
            this.answered = answered;
        }
    }

    /**
     * Creates a queue without requests.
     *
     * @param firstTransaction transaction ID of the first request; the others follow
     * @param timeoutNs        time for a response
     */
    RequestQueue(Counters<SmCounter> counters, long firstTransaction, long timeoutNs) {
        this.counters = counters;
        this.timeoutNs = timeoutNs;
        nextTransaction = firstTransaction;
    }

    /**
     * Adds a request.
     *
     * @param data     attribute to write, {@link Smp#DATA_LENGTH} bytes at most; null to read it
     * @param answered receives the response without an error; null if there is none
     */
    void add(int attribute, int modifier, byte[] path, ByteBuffer data, Consumer<ByteBuffer> answered) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        long id = newTransaction();
        Smp.beginDirected(mad, 0, data == null ? MadMethod.GET : MadMethod.SET, attribute, modifier, id, 0, path);
        if (data != null) {
            mad.put(Smp.DATA_OFFSET, data, 0, data.capacity());
        }
        waiting.add(new Request(id, mad, answered));
    }

    /** A transaction ID that no request has. */
    long newTransaction() {
        return nextTransaction++;
    }

    /** Forgets all requests; responses to them are dropped. */
    void clear() {
        waiting.clear();
        underWay.clear();
        due.clear();
    }

    boolean isEmpty() {
        return waiting.isEmpty() && underWay.isEmpty();
    }

    /** Whether a request waits for that transaction. */
    boolean awaits(long transactionId) {
        return underWay.containsKey(transactionId);
    }

    /** Handles a response; it is dropped if no request of that attribute waits for it. */
    void onResponse(ByteBuffer mad) {
        Request found = underWay.get(Mad.transactionId(mad, 0));
        if (found == null || Mad.attribute(found.mad, 0) != Mad.attribute(mad, 0)
            || Mad.modifier(found.mad, 0) != Mad.modifier(mad, 0)) {
            counters.count(SmCounter.DROP_NO_REQUEST);
            return;
        }
        underWay.remove(found.transactionId);
        due.remove(found);
        boolean failed = Smp.status(mad, 0) != MadStatus.OK;
        if (failed) {
            counters.count(SmCounter.RESPONSES_WITH_ERROR);
        }
        found.answered.accept(failed ? null : mad);
    }

    /** Next request to send, or null. */
    ManagementPacket transmit(long nowNs) {
        Request next = due.poll();
        if (next == null && underWay.size() < WINDOW) {
            next = waiting.poll();
            if (next != null) {
                underWay.put(next.transactionId, next);
            }
        }
        if (next == null) {
            return null;
        }
        next.tries++;
        next.dueNs = nowNs + timeoutNs;
        counters.count(SmCounter.REQUESTS_SENT);
        return ManagementPacket.directed(ManagementPacket.copyOf(next.mad));
    }

    /** Repeats what was not answered in time, and gives up what was repeated often enough. */
    void onTime(long nowNs) {
        ArrayDeque<Request> failed = new ArrayDeque<>();
        for (Iterator<Request> all = underWay.values().iterator(); all.hasNext();) {
            Request each = all.next();
            if (due.contains(each) || !Deadline.isDue(each.dueNs, nowNs)) {
                continue;
            }
            if (each.tries < MAX_TRIES) {
                due.add(each);
            } else {
                all.remove();
                failed.add(each);
            }
        }
        for (Request each : failed) {
            counters.count(SmCounter.REQUESTS_TIMED_OUT);
            each.answered.accept(null);
        }
    }

    /** When the next repetition is due, or {@link Deadline#NEVER}. */
    long deadlineNs() {
        long earliestNs = Deadline.NEVER;
        for (Request each : underWay.values()) {
            if (!due.contains(each)) {
                earliestNs = Deadline.earlier(earliestNs, each.dueNs);
            }
        }
        return earliestNs;
    }
}
