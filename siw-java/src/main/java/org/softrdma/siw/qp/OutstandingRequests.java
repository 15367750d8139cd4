// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import org.softrdma.device.queue.ReusedRing;

/**
 * The outbound read queue (ORQ): our READs and atomics without a complete response, oldest first, which is the order of the responses. It
 * holds ORD requests; further ones wait in the send queue.
 */
final class OutstandingRequests {
    /** Work request of a READ that was not posted: the first message of a peer-to-peer connection. */
    static final long NO_WORK_REQUEST = -1;

    /** A READ or an atomic. An atomic has no sink. */
    private static final class Request {
        long wqe;
        boolean atomic;
        int id;
        int sinkStag;
        long sinkTo;
        long size;

        private boolean isRead(int stag, long to, long bytes) {
            return !atomic && sinkStag == stag && sinkTo == to && size == bytes;
        }
    }

    private final int limit;
    private final ReusedRing<Request> ring;
    /** Bytes received of the oldest READ's response. */
    private long received;

    /** @param limit ORD */
    OutstandingRequests(int limit) {
        this.limit = limit;
        ring = new ReusedRing<>(Math.max(1, limit), Request::new);
    }

    int limit() {
        return limit;
    }

    boolean isEmpty() {
        return ring.isEmpty();
    }

    boolean isFull() {
        return ring.size() >= limit;
    }

    /**
     * Adds a READ request that is sent.
     *
     * @param id its MSN
     */
    void addRead(long wqe, int id, int sinkStag, long sinkTo, long size) {
        Request read = add(wqe, false, id);
        read.sinkStag = sinkStag;
        read.sinkTo = sinkTo;
        read.size = size;
    }

    /**
     * Adds an atomic request that is sent.
     *
     * @param id its MSN, which is also its request identifier
     */
    void addAtomic(long wqe, int id) {
        add(wqe, true, id);
    }

    private Request add(long wqe, boolean atomic, int id) {
        Request added = ring.add();
        added.wqe = wqe;
        added.atomic = atomic;
        added.id = id;
        return added;
    }

    /** Sequence number in the send queue of the oldest request, or {@link #NO_WORK_REQUEST}. */
    long oldestWqe() {
        return ring.oldest().wqe;
    }

    /** Sequence number of the oldest request that was posted, or {@link Long#MAX_VALUE}. */
    long oldestPosted() {
        int first = !ring.isEmpty() && oldestWqe() == NO_WORK_REQUEST ? 1 : 0;
        return first < ring.size() ? ring.at(first).wqe : Long.MAX_VALUE;
    }

    boolean isOldestAtomic() {
        return ring.oldest().atomic;
    }

    int oldestId() {
        return ring.oldest().id;
    }

    int sinkStag() {
        return ring.oldest().sinkStag;
    }

    /** Tagged offset of the next byte of the oldest READ's response. */
    long nextTo() {
        return ring.oldest().sinkTo + received;
    }

    /** Bytes received of the oldest READ's response. */
    long received() {
        return received;
    }

    /** Bytes missing of the oldest READ's response. */
    long missing() {
        return ring.oldest().size - received;
    }

    void onReceived(long bytes) {
        received += bytes;
    }

    /** Removes the oldest request, whose response is complete. */
    void removeOldest() {
        ring.removeOldest();
        received = 0;
    }

    /** Finds the work request of the READ with this sink, or {@link #NO_WORK_REQUEST}. */
    long findRead(int sinkStag, long sinkTo, long size) {
        for (int i = 0; i < ring.size(); i++) {
            if (ring.at(i).isRead(sinkStag, sinkTo, size)) {
                return ring.at(i).wqe;
            }
        }
        return NO_WORK_REQUEST;
    }

    /** Finds the work request of the atomic with this request identifier, or {@link #NO_WORK_REQUEST}. */
    long findAtomic(int id) {
        for (int i = 0; i < ring.size(); i++) {
            if (ring.at(i).atomic && ring.at(i).id == id) {
                return ring.at(i).wqe;
            }
        }
        return NO_WORK_REQUEST;
    }
}
