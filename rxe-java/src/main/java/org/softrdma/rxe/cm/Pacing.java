// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.verbs.Gid;

/**
 * Lets only so many of our requests be under way to one peer at a time; the next ones wait for their turn. A peer has room for a few
 * hundred management datagrams; what finds none is lost, and repeated seconds later: without pacing, thousands of connections at once take
 * as long as that. Answers are not paced, as the requests do that for them.
 *
 * <p>A request that was not answered for twice as long as the peer's answers take counts no longer: a silent peer delays the others, and
 * never stops them; one that is busy is not asked faster than it answers.
 */
final class Pacing {
    /** Something that wants an answer of a peer: a REQ, a DREQ or a SIDR_REQ. */
    interface Request {
        /** Who is to answer. */
        Gid remote();

        /** It may go out now. */
        void onTurn(long nowNs);
    }

    /** Part of a new measurement in the smoothed one: an eighth, as of round trips in TCP. */
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

    /** Its turn is at once, or later. */
    void submit(long nowNs, Request request) {
        peers.computeIfAbsent(request.remote(), unused -> new Peer()).submit(nowNs, request);
    }

    /** It was answered. */
    void onAnswered(long nowNs, Request request) {
        Peer peer = peers.get(request.remote());
        if (peer != null) {
            peer.onAnswered(nowNs, request);
        }
        leave(request);
    }

    /** It needs no answer any more; whether it entered or not. */
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

    /** Requests that wait for their turn. */
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

    /** What is under way to one peer, and what waits for that. */
    private final class Peer extends DeadlineHeap.Timed {
        /** And since when, oldest first. */
        private final SequencedMap<Request, Long> inFlight = new LinkedHashMap<>();
        private final SequencedSet<Request> waiting = new LinkedHashSet<>();
        private long lastTurnNs;
        /** Smoothed time from a turn to its answer; 0 before the first. */
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
            while (!waiting.isEmpty() && (inFlight.size() < maxInFlight || inFlight.firstEntry().getValue() + patienceNs() <= nowNs)) {
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

        /** At once if there is room. */
        @Override
        public long deadlineNs() {
            if (waiting.isEmpty()) {
                return DeadlineHeap.NEVER;
            }
            return inFlight.size() < maxInFlight ? lastTurnNs : inFlight.firstEntry().getValue() + patienceNs();
        }

        @Override
        public void onTimer(long nowNs) {
            grantTurns(nowNs);
        }
    }
}
