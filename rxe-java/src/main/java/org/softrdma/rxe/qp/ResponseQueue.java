// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.ReusedRing;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Syndrome;

/**
 * Responses that a responder has yet to send, in PSN order: acknowledgements, READ data, atomic results. Bounded. Consecutive
 * acknowledgements are merged into the newest, so one acknowledges a whole batch of packets.
 */
final class ResponseQueue {
    enum Kind {
        /** Acknowledgement, NAK or RNR NAK. */
        ACK, READ, ATOMIC
    }

    /** A response that waits. Fields that its kind does not have keep what an earlier response left there. */
    static final class Response {
        private Kind kind;
        private int psn;
        private int msn;
        private int syndrome;
        private int pd;
        private int rkey;
        private long va;
        private long left;
        private long original;
        private boolean begun;
        private boolean replay;

        Kind kind() {
            return kind;
        }

        int psn() {
            return psn;
        }

        int msn() {
            return msn;
        }

        int syndrome() {
            return syndrome;
        }

        /** Protection domain that the key of a READ must belong to. */
        int pd() {
            return pd;
        }

        int rkey() {
            return rkey;
        }

        long va() {
            return va;
        }

        /** Bytes of a READ not sent yet. */
        long left() {
            return left;
        }

        /** Value that an atomic found. */
        long original() {
            return original;
        }

        /** Whether a packet of a READ was sent. */
        boolean isBegun() {
            return begun;
        }

        /** Whether the request was answered before. */
        boolean isReplay() {
            return replay;
        }

        /** Moves a READ past one sent packet. */
        void advance(int nextPsn, int bytes) {
            psn = nextPsn;
            va += bytes;
            left -= bytes;
            begun = true;
        }

        private boolean isAck() {
            return kind == Kind.ACK && Syndrome.isAck(syndrome);
        }

        private int lastPsn(int mtu) {
            return kind == Kind.READ && left > 0 ? Psn.add(psn, (int) ((left - 1) / mtu)) : psn;
        }
    }

    private final ReusedRing<Response> ring;
    private int answers;

    /** @param maxAnswers READs, atomics and their like that can wait at once */
    ResponseQueue(int maxAnswers) {
        // Between two answers there is at most one merged ACK, and after the last one at most one NAK.
        ring = new ReusedRing<>(2 * maxAnswers + 4, Response::new);
    }

    void clear() {
        ring.clear();
        answers = 0;
    }

    boolean isEmpty() {
        return ring.isEmpty();
    }

    /** Whether the queue holds one ACK or NAK and nothing else. */
    boolean isLoneAcknowledge() {
        return ring.size() == 1 && oldest().kind == Kind.ACK;
    }

    /** Number of READs, atomics and their like not answered completely. */
    int answers() {
        return answers;
    }

    /**
     * Queues an acknowledgement, or moves the newest queued one up to it. A response queued at that PSN or after it acknowledges as much,
     * so then nothing is added: the queue stays in PSN order.
     *
     * @return false if there is no room: nothing is queued
     */
    boolean acknowledge(int psn, int msn) {
        if (!ring.isEmpty()) {
            Response newest = ring.newest();
            if (Psn.compare(newest.psn, psn) >= 0) {
                return true;
            }
            if (newest.isAck()) {
                newest.psn = psn;
                newest.msn = msn;
                return true;
            }
        }
        return add(Kind.ACK, psn, msn, Syndrome.ACK_UNLIMITED, false) != null;
    }

    /**
     * Queues a NAK or RNR NAK.
     *
     * @return false if there is no room: nothing is queued
     */
    boolean refuse(int psn, int msn, int syndrome) {
        return add(Kind.ACK, psn, msn, syndrome, false) != null;
    }

    /**
     * Queues the answer to a READ.
     *
     * @param pd       protection domain that its key must belong to
     * @param isReplay whether it was answered before
     * @return false if there is no room: nothing is queued
     */
    boolean read(int psn, int msn, int pd, int rkey, long va, long length, boolean isReplay) {
        Response added = add(Kind.READ, psn, msn, Syndrome.ACK_UNLIMITED, isReplay);
        if (added == null) {
            return false;
        }
        added.pd = pd;
        added.rkey = rkey;
        added.va = va;
        added.left = length;
        added.begun = false;
        answers++;
        return true;
    }

    /**
     * Queues an answer without data, like that to a READ of no bytes.
     *
     * @return false if there is no room
     */
    boolean confirm(int psn, int msn, boolean isReplay) {
        return read(psn, msn, 0, 0, 0, 0, isReplay);
    }

    /**
     * Queues the answer to an atomic.
     *
     * @param isReplay whether it was answered before
     * @return false if there is no room: nothing is queued
     */
    boolean atomic(int psn, int msn, long original, boolean isReplay) {
        Response added = add(Kind.ATOMIC, psn, msn, Syndrome.ACK_UNLIMITED, isReplay);
        if (added == null) {
            return false;
        }
        added.original = original;
        answers++;
        return true;
    }

    /**
     * Drops the responses from {@code psn} on because the requester went back there: it will request them again. The rest of a READ that
     * began before is void, too, because the requester has all of it up to there.
     *
     * @param mtu bytes a READ sends under one PSN
     */
    void dropFrom(int psn, int mtu) {
        while (!ring.isEmpty() && Psn.compare(ring.newest().lastPsn(mtu), psn) >= 0) {
            if (ring.newest().kind != Kind.ACK) {
                answers--;
            }
            ring.removeNewest();
        }
    }

    /**
     * Drops the oldest answer if it is a repetition that the requester, having moved on, no longer waits for.
     *
     * @return whether it did
     */
    boolean dropOldestReplay() {
        int oldest = 0;
        while (oldest < ring.size() && ring.at(oldest).kind == Kind.ACK) {
            oldest++;
        }
        if (oldest == ring.size() || !ring.at(oldest).replay) {
            return false;
        }
        for (int i = 0; i <= oldest; i++) {
            removeOldest();
        }
        return true;
    }

    /** Returns the new response, or null if there is no room. */
    private Response add(Kind kind, int psn, int msn, int syndrome, boolean isReplay) {
        if (ring.isFull()) {
            return null;
        }
        Response added = ring.add();
        added.kind = kind;
        added.psn = psn;
        added.msn = msn;
        added.syndrome = syndrome;
        added.replay = isReplay;
        return added;
    }

    /** Returns the oldest response; there is one. */
    Response oldest() {
        return ring.oldest();
    }

    /** Turns the oldest response, a READ that cannot be answered, into a NAK. */
    void refuseOldest(int nak) {
        answers--;
        Response refused = oldest();
        refused.kind = Kind.ACK;
        refused.syndrome = nak;
    }

    void removeOldest() {
        if (oldest().kind != Kind.ACK) {
            answers--;
        }
        ring.removeOldest();
    }
}
