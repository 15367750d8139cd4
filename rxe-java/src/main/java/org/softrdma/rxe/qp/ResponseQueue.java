// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Syndrome;

/**
 * What a responder still has to send, in PSN order: acknowledgements, READ data, atomic results. Fixed size. Acknowledgements that follow
 * each other are merged into the newest, so one answers a whole batch of packets.
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
    private final long[] left;
    private final boolean[] begun;
    private final boolean[] replay;
    private int head;
    private int size;
    private int fetches;

    /** @param maxFetches READs and atomics that can wait at once */
    ResponseQueue(int maxFetches) {
        // Between two fetches stands at most one merged ACK, and at most one NAK ends it all.
        capacity = 2 * maxFetches + 4;
        kind = new int[capacity];
        psn = new int[capacity];
        msn = new int[capacity];
        syndrome = new int[capacity];
        pd = new int[capacity];
        rkey = new int[capacity];
        va = new long[capacity];
        left = new long[capacity];
        begun = new boolean[capacity];
        replay = new boolean[capacity];
    }

    void clear() {
        size = 0;
        fetches = 0;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Whether nothing but one ACK or NAK is left. */
    boolean isLoneAcknowledge() {
        return size == 1 && kind[head] == ACK;
    }

    /** READs and atomics not answered completely. */
    int fetches() {
        return fetches;
    }

    /**
     * Queues an acknowledgement, or moves the newest queued one up to it. What waits at that PSN or after it acknowledges as much, so then
     * nothing is added: the queue stays in PSN order.
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

    /** Queues a NAK or RNR NAK. @return false if there is no room: nothing is queued */
    boolean refuse(int newPsn, int newMsn, int newSyndrome) {
        return add(ACK, newPsn, newMsn, newSyndrome, false);
    }

    /**
     * Queues the answer to a READ.
     *
     * @param newPd    the protection domain that its key must belong to
     * @param isReplay it was answered before
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
        fetches++;
        return true;
    }

    /** Queues an answer without data, as a READ of no bytes has it. @return false if there is no room */
    boolean confirm(int newPsn, int newMsn, boolean isReplay) {
        return read(newPsn, newMsn, 0, 0, 0, 0, isReplay);
    }

    /** Queues the answer to an atomic. @param isReplay it was answered before. @return false if there is no room */
    boolean atomic(int newPsn, int newMsn, long original, boolean isReplay) {
        if (!add(ATOMIC, newPsn, newMsn, Syndrome.ACK_UNLIMITED, isReplay)) {
            return false;
        }
        left[slot(size - 1)] = original;
        fetches++;
        return true;
    }

    /**
     * The requester went back to {@code fromPsn}: whatever waits from there on will be asked for again, and what is left of a READ that
     * began before is void, too, because the requester has all of it up to there.
     *
     * @param mtu bytes a READ sends under one PSN
     */
    void dropFrom(int fromPsn, int mtu) {
        while (size > 0 && Psn.compare(lastPsn(slot(size - 1), mtu), fromPsn) >= 0) {
            if (kind[slot(--size)] != ACK) {
                fetches--;
            }
        }
    }

    private int lastPsn(int at, int mtu) {
        return kind[at] == READ && left[at] > 0 ? Psn.add(psn[at], (int) ((left[at] - 1) / mtu)) : psn[at];
    }

    /** Gives up the oldest answer if it is a repetition that the requester, having moved on, no longer waits for. */
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

    // The oldest entry, piece by piece.

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

    /** The value an atomic found. */
    long headOriginal() {
        return left[head];
    }

    /** Whether it was answered before. */
    boolean headIsReplay() {
        return replay[head];
    }

    /** The READ cannot be answered: it becomes a NAK. */
    void refuseHead(int nak) {
        fetches--;
        kind[head] = ACK;
        syndrome[head] = nak;
    }

    /** Whether a packet of this answer went out. */
    boolean headBegun() {
        return begun[head];
    }

    /** One packet of the READ went out. */
    void advance(int nextPsn, int bytes) {
        psn[head] = nextPsn;
        va[head] += bytes;
        left[head] -= bytes;
        begun[head] = true;
    }

    void removeHead() {
        if (kind[head] != ACK) {
            fetches--;
        }
        head = (head + 1) % capacity;
        size--;
    }
}
