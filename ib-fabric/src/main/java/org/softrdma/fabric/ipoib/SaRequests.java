// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.mad.Mad;

/** Requests to subnet administration that wait for their answers. A request is repeated some times, and then given up. */
final class SaRequests {
    /** Requests at a time; the next one is given up at once. */
    static final int MAX_REQUESTS = 256;
    /** Time for an answer. */
    static final long TIMEOUT_NS = 1_000_000_000L;
    /** Times that a request is sent at most. */
    static final int MAX_TRIES = 4;

    private final Counters<IpoibCounter> counters;
    private final Map<Long, Request> waiting = new LinkedHashMap<>();
    private final ArrayDeque<Request> due = new ArrayDeque<>();
    private long nextTransaction;

    /** Learns how a request ended. */
    interface Handler {
        /** @param record of the answer, at offset 0; null if it was refused or did not come */
        void onAnswer(ByteBuffer record, long nowNs);

        /** @param status of the answer, not 0 */
        default void onRefused(int status, long nowNs) {
            onAnswer(null, nowNs);
        }

        /** The request was forgotten, because the port or its manager changed. */
        default void onForgotten() {
        }
    }

    private static final class Request {
        final ByteBuffer mad;
        final int length;
        final Handler handler;
        int tries;
        long dueNs;

        Request(ByteBuffer mad, int length, Handler handler) {
            this.mad = mad;
            this.length = length;
            this.handler = handler;
        }
    }

    /** @param firstTransaction identity of the first request; others follow it */
    SaRequests(Counters<IpoibCounter> counters, long firstTransaction) {
        this.counters = counters;
        nextTransaction = firstTransaction;
    }

    /**
     * Sends a request.
     *
     * @param record with the components of the mask
     */
    void add(int method, int attribute, long mask, ByteBuffer record, Handler handler, long nowNs) {
        if (waiting.size() == MAX_REQUESTS) {
            counters.count(IpoibCounter.IPOIB_SA_TIMEOUTS);
            handler.onAnswer(null, nowNs);
            return;
        }
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        long id = nextTransaction++;
        SaMad.begin(mad, 0, method, attribute, id, mask);
        mad.put(SaMad.DATA_OFFSET, record, 0, record.capacity());
        Request request = new Request(mad, record.capacity(), handler);
        waiting.put(id, request);
        due.add(request);
    }

    /** Handles an answer; one that nobody waits for has no effect. */
    void onPacket(ManagementPacket packet, long nowNs) {
        Request request = waiting.get(packet.transactionId());
        if (request == null || packet.attribute() != Mad.attribute(request.mad, 0)) {
            return;
        }
        waiting.remove(packet.transactionId());
        due.remove(request);
        if (Mad.status(packet.mad(), 0) != MadStatus.OK) {
            counters.count(IpoibCounter.IPOIB_SA_REFUSED);
            request.handler.onRefused(Mad.status(packet.mad(), 0), nowNs);
            return;
        }
        ByteBuffer record = ByteBuffer.allocate(request.length);
        record.put(0, packet.mad(), SaMad.DATA_OFFSET, request.length);
        request.handler.onAnswer(record, nowNs);
    }

    /** Next request to send from a LID to that of subnet administration, or null. */
    ManagementPacket transmit(int lid, int saLid, int sl, long nowNs) {
        Request next = due.poll();
        if (next == null) {
            return null;
        }
        next.tries++;
        next.dueNs = nowNs + TIMEOUT_NS;
        return new ManagementPacket(lid, saLid, Mad.GSI_QPN, Mad.GSI_QPN, ManagementPacket.DEFAULT_PKEY, sl,
            ManagementPacket.copyOf(next.mad));
    }

    /** Repeats requests that were not answered in time, and gives up those that were repeated often enough. */
    void onTime(long nowNs) {
        ArrayDeque<Request> givenUp = new ArrayDeque<>();
        for (Iterator<Request> all = waiting.values().iterator(); all.hasNext();) {
            Request each = all.next();
            if (isSent(each) && Deadline.isDue(each.dueNs, nowNs)) {
                if (each.tries == MAX_TRIES) {
                    all.remove();
                    givenUp.add(each);
                } else {
                    due.add(each);
                }
            }
        }
        for (Request each : givenUp) {
            counters.count(IpoibCounter.IPOIB_SA_TIMEOUTS);
            each.handler.onAnswer(null, nowNs);
        }
    }

    private boolean isSent(Request request) {
        return request.tries > 0 && !due.contains(request);
    }

    /** Forgets all requests. */
    void clear() {
        List<Request> forgotten = List.copyOf(waiting.values());
        waiting.clear();
        due.clear();
        forgotten.forEach(each -> each.handler.onForgotten());
    }

    long deadlineNs() {
        long earliest = Deadline.NEVER;
        for (Request each : waiting.values()) {
            if (isSent(each)) {
                earliest = Deadline.earlier(earliest, each.dueNs);
            }
        }
        return earliest;
    }
}
