// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.ReusedRing;
import org.softrdma.wire.roce.Psn;

/**
 * Responder resources: the last READs, atomics and their like, remembered so that a repeated one can be answered again. The oldest is
 * forgotten first. Source: IBA vol 1 §9.4.4, §9.7.5.1.4.
 */
final class ResponderResources {
    /** A request that was answered. Fields that its kind does not have keep what an earlier request left there. */
    static final class Resource {
        private boolean atomic;
        private int firstPsn;
        private int packets;
        private int msn;
        private int pd;
        private int rkey;
        private long va;
        private long length;
        private long original;

        int msn() {
            return msn;
        }

        /** Protection domain that the key of a READ must belong to. */
        int pd() {
            return pd;
        }

        /** Result of an atomic. */
        long original() {
            return original;
        }

        private boolean isRead(int psn, int byRkey, long fromVa, long bytes, int mtu) {
            int packet = Psn.distance(firstPsn, psn);
            long skipped = (long) packet * mtu;
            return !atomic && packet < packets && rkey == byRkey && fromVa == va + skipped && bytes <= length - skipped;
        }
    }

    private final ReusedRing<Resource> resources;

    ResponderResources(int capacity) {
        resources = new ReusedRing<>(capacity, Resource::new);
    }

    void clear() {
        resources.clear();
    }

    /**
     * Remembers a READ.
     *
     * @param pd protection domain that its key must belong to
     */
    void rememberRead(int psn, int packets, int msn, int pd, int rkey, long va, long length) {
        Resource read = next(psn, packets, msn);
        read.atomic = false;
        read.pd = pd;
        read.rkey = rkey;
        read.va = va;
        read.length = length;
    }

    /** Remembers an atomic, or another request answered under one PSN, and its result. */
    void rememberAtomic(int psn, int msn, long result) {
        Resource atomic = next(psn, 1, msn);
        atomic.atomic = true;
        atomic.original = result;
    }

    private Resource next(int psn, int packets, int msn) {
        if (resources.isFull()) {
            resources.removeOldest();
        }
        Resource next = resources.add();
        next.firstPsn = psn;
        next.packets = packets;
        next.msn = msn;
        return next;
    }

    /**
     * PSN up to which a repeated SEND or WRITE packet is acknowledged: everything executed, but not past the next READ or atomic, whose own
     * response may be lost. A requester that accepts such an ACK (kernel rxe 6.1 does) would complete it without its data.
     *
     * @param expectedPsn the PSN after everything executed
     */
    int acknowledgeable(int psn, int expectedPsn) {
        int first = expectedPsn;
        for (int i = 0; i < resources.size(); i++) {
            int firstPsn = resources.at(i).firstPsn;
            if (Psn.compare(firstPsn, psn) > 0 && Psn.compare(firstPsn, first) < 0) {
                first = firstPsn;
            }
        }
        return Psn.add(first, -1);
    }

    /** Returns the atomic of that PSN, or null. */
    Resource findAtomic(int psn) {
        for (int i = 0; i < resources.size(); i++) {
            Resource each = resources.at(i);
            if (each.atomic && each.firstPsn == psn) {
                return each;
            }
        }
        return null;
    }

    /**
     * Returns the READ that a request repeats, wholly or from some packet on, or null.
     *
     * @param mtu path MTU: a later PSN must request correspondingly later bytes
     */
    Resource findRead(int psn, int byRkey, long fromVa, long bytes, int mtu) {
        for (int i = 0; i < resources.size(); i++) {
            if (resources.at(i).isRead(psn, byRkey, fromVa, bytes, mtu)) {
                return resources.at(i);
            }
        }
        return null;
    }
}
