// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.RnrTimer;
import org.softrdma.wire.roce.Syndrome;

/**
 * Requests from one queue pair to another, and the responses coming back, as the wire shows them. PSNs are counted on from the first as
 * positions, so that they never wrap.
 *
 * <p>Beside what was sent stands how far responder and requester can be at most after what was delivered to them: {@link #expected} and
 * {@link #acked}. A device may be behind that, because packets wait in its inbox, but never ahead.
 */
final class Flow {
    final int firstPsn;
    final int mtu;
    /** READs and atomics that may be outstanding. */
    final int depth;
    /** The shortest time after which silence may mean loss: IBA vol 1 §9.9.2.3. */
    final long timeoutNs;
    final int retryCount;
    final boolean probes;
    final boolean cutsWrites;
    /** One for each PSN that was ever sent. */
    final List<Slot> slots = new ArrayList<>();
    /** Packets of both directions. */
    long packets;

    /** Responder: the first position it cannot have executed. */
    int expected;
    /** Responder: one past the furthest position that reached it. */
    int furthest;
    /** Responder: where its last sequence NAK stands, and whether a packet of that position has reached it since; -1 for none. */
    int nakAt = -1;
    boolean nakHeard;
    /** Responder: gaps seen, and NAKs sent for them or for want of receives. */
    int gaps;
    private int lastGapAt = -1;
    int naks;
    /** Responder: a SEND or WRITE has reached it more than once. */
    boolean repeated;
    /** Responder: MSN of its last acknowledgement. */
    int lastMsn;
    int lastResponseOpcode = Opcode.RC_ACKNOWLEDGE;
    long lastResponseAt = -1;

    /** Requester: the first position it cannot know to be done. */
    int acked;
    /** Requester: the position it sent last. */
    int lastSent = -1;
    /** Requester: packets since it last asked for an acknowledgement. */
    int unasked;
    /** Requester: since when it has heard nothing new, and what that was before this instant. */
    long quietSinceNs;
    private long quietBeforeNs;
    /** Requester: something has reached it that makes it go back, and when; it may look at several such things one after the other. */
    boolean mayGoBack;
    long reasonAtNs = Long.MIN_VALUE;
    /** Requester: waits for a receive at that position, from when to when. */
    int notReadyAt = -1;
    long notReadySinceNs;
    long notReadyUntilNs;
    /** Requester: how often it went back since then, or since it last had a reason to. */
    int repeatsInSilence;
    /** Requester: the position it went back to last. */
    int wentBackTo = -1;
    /** Requester: how often it sent again because nothing came. */
    int silences;
    /** Last positions of READs and atomics that are not answered. */
    private final ArrayDeque<Integer> fetches = new ArrayDeque<>();

    /** The requester's queue pair, or the responder's, sends nothing any more, but for a destroyed responder's last answers. */
    boolean requesterGone;
    /** The requester's send queue is drained: it sends nothing for now. */
    boolean requesterDrained;
    boolean responderGone;
    boolean responderDestroyed;

    /** One packet's worth of PSN: what was first sent under it. */
    static final class Slot {
        int opcode;
        int content;
        /** Position of its message's first PSN, and how many the message has. */
        int first;
        int count;
        /** The message's, where it has a RETH or AtomicETH. */
        long va;
        int rkey;
        long length;
        /** Messages finished up to and including this PSN. */
        int messages;
        /** The atomic's result, once answered. */
        boolean answered;
        long original;
        /** Answers with data the responder was asked for, less those it gave. */
        int asked;

        boolean isFetch() {
            return Opcode.hasAny(opcode, Opcode.READ_REQUEST | Opcode.ATOMIC_REQUEST);
        }

        int end() {
            return first + count;
        }
    }

    /**
     * @param timeoutCode the requester's ACK timeout: 4.096 µs · 2^code
     * @param retryCount  the requester's retry_cnt
     * @param probes      the requester may send again before the timeout
     * @param cutsWrites  the requester may send a WRITE as several requests
     */
    Flow(int firstPsn, int mtu, int depth, int timeoutCode, int retryCount, boolean probes, boolean cutsWrites) {
        this.firstPsn = firstPsn;
        this.mtu = mtu;
        this.depth = depth;
        timeoutNs = 4096L << timeoutCode;
        this.retryCount = retryCount;
        this.probes = probes;
        this.cutsWrites = cutsWrites;
    }

    /** Position of a PSN near the end; negative if before the beginning. */
    long position(int psn) {
        long end = slots.size();
        int difference = psn - (int) (firstPsn + end & 0xffffff) << 8 >> 8;
        return end + difference;
    }

    Slot slot(long at) {
        return slots.get((int) at);
    }

    /** Messages finished before this position. */
    int messagesBefore(int at) {
        return at == 0 ? 0 : slots.get(at - 1).messages;
    }

    /** Packets that were sent, or READ responses that were requested, and that the requester cannot know to be done. */
    int unacknowledged() {
        return slots.size() - acked;
    }

    /** A READ or atomic was sent for the first time. */
    void addFetch(Slot slot) {
        fetches.add(slot.end() - 1);
    }

    /** READs and atomics the requester cannot know to be done. */
    int fetchesOutstanding() {
        while (!fetches.isEmpty() && fetches.peek() < acked) {
            fetches.remove();
        }
        return fetches.size();
    }

    /** Whether the responder has executed a part of a message that uses this key. */
    boolean isAmid(int rkey) {
        if (lastResponseAt >= 0 && Opcode.has(lastResponseOpcode, Opcode.READ_RESPONSE) && !Opcode.has(lastResponseOpcode, Opcode.END)) {
            return slot(lastResponseAt).rkey == rkey;
        }
        return expected > 0 && expected < slots.size() && slots.get(expected).rkey == rkey
            && Opcode.has(slots.get(expected).opcode, Opcode.WRITE) && !Opcode.has(slots.get(expected - 1).opcode, Opcode.END);
    }

    /** The reason to go back was followed, or is void. One that came at this instant the requester may not have looked at yet. */
    void forgetReason(long nowNs) {
        mayGoBack = reasonAtNs == nowNs;
    }

    /** Silence begins anew. */
    void hearNews(long nowNs) {
        quietBeforeNs = quietSinceNs == nowNs ? quietBeforeNs : quietSinceNs;
        quietSinceNs = nowNs;
        repeatsInSilence = 0;
    }

    /** How long the requester may believe to have heard nothing: what arrived at this instant it may not have looked at yet. */
    long silentNs(long nowNs) {
        return nowNs - (quietSinceNs == nowNs ? quietBeforeNs : quietSinceNs);
    }

    // ---- arrivals ----

    /** An intact request reached the responder. */
    void onRequestArrival(long position) {
        if (position < 0 || position >= slots.size()) {
            return;
        }
        int at = (int) position;
        Slot slot = slots.get(at);
        furthest = Math.max(furthest, at + 1);
        nakHeard |= at == nakAt;
        repeated |= at < expected && !slot.isFetch();
        if (at > expected && expected != lastGapAt) {
            lastGapAt = expected;
            gaps++;
        }
        if (at == expected) {
            expected = slot.isFetch() ? slot.end() : at + 1;
        }
        for (int i = at; slot.isFetch() && i < slot.end(); i++) {
            slots.get(i).asked++;
        }
    }

    /** An intact response reached the requester. */
    void onResponseArrival(long nowNs, long position, int opcode, int syndrome) {
        if (position < acked || position >= slots.size()) {
            return;
        }
        int at = (int) position;
        boolean data = opcode != Opcode.RC_ACKNOWLEDGE;
        boolean acknowledges = !data && Syndrome.isAck(syndrome);
        int before = acked;
        int reach = acknowledges ? at + 1 : at;
        while (acked < reach && !slots.get(acked).isFetch()) {
            acked++;
        }
        boolean reached = acked == reach;
        if (data && reached && slots.get(at).isFetch()) {
            acked++;
        }
        if (acked != before) {
            hearNews(nowNs);
            notReadyAt = -1;
        }
        if (!data && Syndrome.isRnr(syndrome) && reached && (notReadyAt < 0 || nowNs > notReadyUntilNs)) {
            notReadyAt = at;
            notReadySinceNs = nowNs;
            notReadyUntilNs = nowNs + RnrTimer.toNs(Syndrome.rnrTimerCode(syndrome));
        }
        if (!reached || !data && !acknowledges || acknowledges && at == wentBackTo) {
            mayGoBack = true;
            reasonAtNs = nowNs;
            repeatsInSilence = 0;
            wentBackTo = -1;
        }
    }
}
