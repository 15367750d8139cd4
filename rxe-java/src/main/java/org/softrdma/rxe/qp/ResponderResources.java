// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.wire.roce.Psn;

/**
 * Responder resources: the last READs, atomics and their like, remembered so that a repeated one can be answered again. The oldest is
 * forgotten first. Source: IBA vol 1 §9.4.4, §9.7.5.1.4.
 */
final class ResponderResources {
    private final int capacity;
    private final boolean[] atomic;
    private final int[] firstPsn;
    private final int[] packets;
    private final int[] msn;
    private final int[] pd;
    private final int[] rkey;
    private final long[] va;
    private final long[] length;
    private final long[] original;
    private int count;

    ResponderResources(int capacity) {
        this.capacity = capacity;
        atomic = new boolean[capacity];
        firstPsn = new int[capacity];
        packets = new int[capacity];
        msn = new int[capacity];
        pd = new int[capacity];
        rkey = new int[capacity];
        va = new long[capacity];
        length = new long[capacity];
        original = new long[capacity];
    }

    void clear() {
        count = 0;
    }

    /**
     * Remembers a READ.
     *
     * @param newPd protection domain that its key must belong to
     */
    void rememberRead(int psn, int psns, int newMsn, int newPd, int newRkey, long newVa, long newLength) {
        int id = next(psn, psns, newMsn);
        atomic[id] = false;
        pd[id] = newPd;
        rkey[id] = newRkey;
        va[id] = newVa;
        length[id] = newLength;
    }

    /** Remembers an atomic, or another request answered under one PSN, and its result. */
    void rememberAtomic(int psn, int newMsn, long result) {
        int id = next(psn, 1, newMsn);
        atomic[id] = true;
        original[id] = result;
    }

    private int next(int psn, int psns, int newMsn) {
        int id = count++ % capacity;
        count = count == 2 * capacity ? capacity : count;
        firstPsn[id] = psn;
        packets[id] = psns;
        msn[id] = newMsn;
        return id;
    }

    /**
     * PSN up to which a repeated SEND or WRITE packet is acknowledged: everything executed, but not past the next READ or atomic, whose own
     * response may be lost. A requester that accepts such an ACK (kernel rxe 6.1 does) would complete it without its data.
     *
     * @param expectedPsn the PSN after everything executed
     */
    int acknowledgeable(int psn, int expectedPsn) {
        int first = expectedPsn;
        for (int id = 0; id < Math.min(count, capacity); id++) {
            if (Psn.compare(firstPsn[id], psn) > 0 && Psn.compare(firstPsn[id], first) < 0) {
                first = firstPsn[id];
            }
        }
        return Psn.add(first, -1);
    }

    /** Index of the atomic of that PSN, or -1. */
    int findAtomic(int psn) {
        for (int id = 0; id < Math.min(count, capacity); id++) {
            if (atomic[id] && firstPsn[id] == psn) {
                return id;
            }
        }
        return -1;
    }

    /**
     * Index of the READ that a request repeats, wholly or from some packet on, or -1.
     *
     * @param mtu path MTU: a later PSN must request correspondingly later bytes
     */
    int findRead(int psn, int byRkey, long fromVa, long bytes, int mtu) {
        for (int id = 0; id < Math.min(count, capacity); id++) {
            int packet = Psn.distance(firstPsn[id], psn);
            long skipped = (long) packet * mtu;
            if (!atomic[id] && packet < packets[id] && rkey[id] == byRkey && fromVa == va[id] + skipped && bytes <= length[id] - skipped) {
                return id;
            }
        }
        return -1;
    }

    int msn(int id) {
        return msn[id];
    }

    int pd(int id) {
        return pd[id];
    }

    long original(int id) {
        return original[id];
    }
}
