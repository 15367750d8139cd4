// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Syndrome;

/**
 * Responses that a responder has yet to send, in PSN order: acknowledgements, READ data, atomic results. Fixed size. Consecutive
 * acknowledgements are merged into the newest, so one acknowledges a whole batch of packets.
 */
final class ResponseQueue {
    static final int ACK = 0;
    static final int READ = 1;
    static final int ATOMIC = 2;

    private final int capacity;
    private final int[] kind;
    private final int[] psn;
    private final int[] msn;
    private final int[] syndrome;
    private final int[] pd;
    private final int[] rkey;
    private final long[] va;
    /** Bytes of a READ not sent yet. */
    private final long[] left;
    /** Value that an atomic found. */
    private final long[] original;
    private final boolean[] begun;
    private final boolean[] replay;
    private int head;
    private int size;
    private int answers;

    /** @param maxAnswers READs, atomics and their like that can wait at once */
    ResponseQueue(int maxAnswers) {
        // Between two answers there is at most one merged ACK, and after the last one at most one NAK.
        capacity = 2 * maxAnswers + 4;
        kind = new int[capacity];
        psn = new int[capacity];
        msn = new int[capacity];
        syndrome = new int[capacity];
        pd = new int[capacity];
        rkey = new int[capacity];
        va = new long[capacity];
        left = new long[capacity];
        original = new long[capacity];
        begun = new boolean[capacity];
        replay = new boolean[capacity];
    }

    void clear() {
        size = 0;
        answers = 0;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Whether the queue holds one ACK or NAK and nothing else. */
    boolean isLoneAcknowledge() {
        return size == 1 && kind[head] == ACK;
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
    boolean acknowledge(int newPsn, int newMsn) {
        int last = slot(size - 1);
        if (size > 0 && Psn.compare(psn[last], newPsn) >= 0) {
            return true;
        }
        if (size > 0 && kind[last] == ACK && Syndrome.isAck(syndrome[last])) {
            psn[last] = newPsn;
            msn[last] = newMsn;
            return true;
        }
        return add(ACK, newPsn, newMsn, Syndrome.ACK_UNLIMITED, false);
    }

    /**
     * Queues a NAK or RNR NAK.
     *
     * @return false if there is no room: nothing is queued
     */
    boolean refuse(int newPsn, int newMsn, int newSyndrome) {
        return add(ACK, newPsn, newMsn, newSyndrome, false);
    }

    /**
     * Queues the answer to a READ.
     *
     * @param newPd    protection domain that its key must belong to
     * @param isReplay whether it was answered before
     * @return false if there is no room: nothing is queued
     */
    boolean read(int newPsn, int newMsn, int newPd, int newRkey, long newVa, long length, boolean isReplay) {
        if (!add(READ, newPsn, newMsn, Syndrome.ACK_UNLIMITED, isReplay)) {
            return false;
        }
        int at = slot(size - 1);
        pd[at] = newPd;
        rkey[at] = newRkey;
        va[at] = newVa;
        left[at] = length;
        begun[at] = false;
        answers++;
        return true;
    }

    /**
     * Queues an answer without data, like that to a READ of no bytes.
     *
     * @return false if there is no room
     */
    boolean confirm(int newPsn, int newMsn, boolean isReplay) {
        return read(newPsn, newMsn, 0, 0, 0, 0, isReplay);
    }

    /**
     * Queues the answer to an atomic.
     *
     * @param isReplay whether it was answered before
     * @return false if there is no room: nothing is queued
     */
    boolean atomic(int newPsn, int newMsn, long newOriginal, boolean isReplay) {
        if (!add(ATOMIC, newPsn, newMsn, Syndrome.ACK_UNLIMITED, isReplay)) {
            return false;
        }
        original[slot(size - 1)] = newOriginal;
        answers++;
        return true;
    }

    /**
     * Drops the responses from {@code fromPsn} on because the requester went back there: it will request them again. The rest of a READ
     * that began before is void, too, because the requester has all of it up to there.
     *
     * @param mtu bytes a READ sends under one PSN
     */
    void dropFrom(int fromPsn, int mtu) {
        while (size > 0 && Psn.compare(lastPsn(slot(size - 1), mtu), fromPsn) >= 0) {
            if (kind[slot(--size)] != ACK) {
                answers--;
            }
        }
    }

    private int lastPsn(int at, int mtu) {
        return kind[at] == READ && left[at] > 0 ? Psn.add(psn[at], (int) ((left[at] - 1) / mtu)) : psn[at];
    }

    /**
     * Drops the oldest answer if it is a repetition that the requester, having moved on, no longer waits for.
     *
     * @return whether it did
     */
    boolean dropOldestReplay() {
        int oldest = 0;
        while (oldest < size && kind[slot(oldest)] == ACK) {
            oldest++;
        }
        if (oldest == size || !replay[slot(oldest)]) {
            return false;
        }
        for (int i = 0; i <= oldest; i++) {
            removeHead();
        }
        return true;
    }

    private boolean add(int newKind, int newPsn, int newMsn, int newSyndrome, boolean isReplay) {
        if (size == capacity) {
            return false;
        }
        int at = slot(size++);
        kind[at] = newKind;
        psn[at] = newPsn;
        msn[at] = newMsn;
        syndrome[at] = newSyndrome;
        replay[at] = isReplay;
        return true;
    }

    private int slot(int index) {
        return (head + index + capacity) % capacity;
    }

    // ---- fields of the oldest entry ----

    int headKind() {
        return kind[head];
    }

    int headPsn() {
        return psn[head];
    }

    int headMsn() {
        return msn[head];
    }

    int headSyndrome() {
        return syndrome[head];
    }

    int headPd() {
        return pd[head];
    }

    int headRkey() {
        return rkey[head];
    }

    long headVa() {
        return va[head];
    }

    /** Bytes of the READ not sent yet. */
    long headLeft() {
        return left[head];
    }

    /** Value that the atomic found. */
    long headOriginal() {
        return original[head];
    }

    /** Whether it was answered before. */
    boolean headIsReplay() {
        return replay[head];
    }

    /** Turns the READ, which cannot be answered, into a NAK. */
    void refuseHead(int nak) {
        answers--;
        kind[head] = ACK;
        syndrome[head] = nak;
    }

    /** Whether a packet of this answer was sent. */
    boolean headBegun() {
        return begun[head];
    }

    /** Moves the READ past one sent packet. */
    void advance(int nextPsn, int bytes) {
        psn[head] = nextPsn;
        va[head] += bytes;
        left[head] -= bytes;
        begun[head] = true;
    }

    void removeHead() {
        if (kind[head] != ACK) {
            answers--;
        }
        head = (head + 1) % capacity;
        size--;
    }
}
