// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.verbs.Gid;

/**
 * Limits the number of our requests in flight to one peer; further requests are queued. A peer buffers a few hundred management datagrams;
 * a datagram beyond that is lost and repeated seconds later, which would delay thousands of simultaneous connections by that time. Answers
 * are not paced, as their number follows from the requests.
 *
 * <p>A request that is not answered within twice the usual answer time of the peer no longer counts: a silent peer delays the requests but
 * never blocks them, and a busy peer is sent no more requests than it answers.
 */
final class Pacing {
    /** Request that a peer must answer: a REQ, a DREQ or a SIDR_REQ. */
    interface Request {
        /** Returns the address of the peer that must answer. */
        Gid remote();

        /** Sends the request: there is a slot for it now. */
        void onTurn(long nowNs);
    }

    /** Divisor of the smoothing: a new measurement has a weight of one eighth, as for round trips in TCP. */
    private static final int SMOOTHING = 8;

    private final DeadlineHeap timers;
    private final int maxInFlight;
    private final long minPatienceNs;
    private final long maxPatienceNs;
    private final Map<Gid, Peer> peers = new HashMap<>();

    Pacing(DeadlineHeap timers, int maxInFlight, long minPatienceNs, long maxPatienceNs) {
        this.timers = timers;
        this.maxInFlight = maxInFlight;
        this.minPatienceNs = minPatienceNs;
        this.maxPatienceNs = maxPatienceNs;
    }

    /** Sends a request now, or queues it until there is a slot. */
    void submit(long nowNs, Request request) {
        peers.computeIfAbsent(request.remote(), unused -> new Peer()).submit(nowNs, request);
    }

    /** Frees the slot of an answered request and updates the smoothed answer time. */
    void onAnswered(long nowNs, Request request) {
        Peer peer = peers.get(request.remote());
        if (peer != null) {
            peer.onAnswered(nowNs, request);
        }
        leave(request);
    }

    /** Removes a request that needs no answer any more; it need not have been submitted. */
    void leave(Request request) {
        Peer peer = peers.get(request.remote());
        if (peer != null) {
            peer.leave(request);
            if (peer.isIdle()) {
                peers.remove(request.remote());
                timers.remove(peer);
            }
        }
    }

    /** Returns the queued requests of all peers. */
    List<Request> waiting() {
        return peers.values().stream().flatMap(peer -> peer.waiting.stream()).toList();
    }

    boolean isAnyWaiting() {
        return peers.values().stream().anyMatch(peer -> !peer.waiting.isEmpty());
    }

    boolean isWaiting(Request request) {
        Peer peer = peers.get(request.remote());
        return peer != null && peer.waiting.contains(request);
    }

    boolean isIdle() {
        return peers.isEmpty();
    }

    /** Requests in flight and queued requests of one peer. */
    private final class Peer extends DeadlineHeap.Timed {
        /** Requests in flight with the time they were sent, oldest first. */
        private final SequencedMap<Request, Long> inFlight = new LinkedHashMap<>();
        private final SequencedSet<Request> waiting = new LinkedHashSet<>();
        private long lastTurnNs;
        /** Smoothed time from sending a request to its answer; 0 before the first answer. */
        private long answerNs;

        void submit(long nowNs, Request request) {
            waiting.add(request);
            grantTurns(nowNs);
            timers.update(this);
        }

        void onAnswered(long nowNs, Request request) {
            Long sinceNs = inFlight.get(request);
            if (sinceNs != null) {
                long tookNs = nowNs - sinceNs;
                answerNs = answerNs == 0 ? tookNs : answerNs + (tookNs - answerNs) / SMOOTHING;
            }
        }

        private long patienceNs() {
            return Math.clamp(2 * answerNs, minPatienceNs, maxPatienceNs);
        }

        void leave(Request request) {
            inFlight.remove(request);
            waiting.remove(request);
            timers.update(this);
        }

        private void grantTurns(long nowNs) {
            while (!waiting.isEmpty() && (inFlight.size() < maxInFlight
                || Deadline.isDue(inFlight.firstEntry().getValue() + patienceNs(), nowNs))) {
                if (inFlight.size() == maxInFlight) {
                    inFlight.pollFirstEntry();
                }
                Request next = waiting.removeFirst();
                inFlight.put(next, nowNs);
                lastTurnNs = nowNs;
                next.onTurn(nowNs);
            }
        }

        boolean isIdle() {
            return inFlight.isEmpty() && waiting.isEmpty();
        }

        /** Returns the time at which the next queued request can be sent; in the past if there is a slot. */
        @Override
        public long deadlineNs() {
            if (waiting.isEmpty()) {
                return Deadline.NEVER;
            }
            return inFlight.size() < maxInFlight ? lastTurnNs : inFlight.firstEntry().getValue() + patienceNs();
        }

        @Override
        public void onTimer(long nowNs) {
            grantTurns(nowNs);
        }
    }
}
