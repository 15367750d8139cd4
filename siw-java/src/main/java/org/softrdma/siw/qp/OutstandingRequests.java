// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

/**
 * The outbound read queue (ORQ): our READs and atomics without a complete response, oldest first, which is the order of the responses. It
 * holds ORD requests; further ones wait in the send queue.
 */
final class OutstandingRequests {
    /** Work request of a READ that was not posted: the first message of a peer-to-peer connection. */
    static final long NO_WORK_REQUEST = -1;

    private final int limit;
    private final long[] wqes;
    private final boolean[] atomics;
    private final int[] ids;
    private final int[] sinkStags;
    private final long[] sinkTos;
    private final long[] sizes;
    private int head;
    private int count;
    /** Bytes received of the oldest READ's response. */
    private long received;

    /** @param limit ORD */
    OutstandingRequests(int limit) {
        this.limit = limit;
        int slots = Math.max(1, limit);
        wqes = new long[slots];
        atomics = new boolean[slots];
        ids = new int[slots];
        sinkStags = new int[slots];
        sinkTos = new long[slots];
        sizes = new long[slots];
    }

    int limit() {
        return limit;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count >= limit;
    }

    /**
     * Adds a READ request that is sent.
     *
     * @param id its MSN
     */
    void addRead(long wqe, int id, int sinkStag, long sinkTo, long size) {
        int slot = add(wqe, false, id);
        sinkStags[slot] = sinkStag;
        sinkTos[slot] = sinkTo;
        sizes[slot] = size;
    }

    /**
     * Adds an atomic request that is sent.
     *
     * @param id its MSN, which is also its request identifier
     */
    void addAtomic(long wqe, int id) {
        add(wqe, true, id);
    }

    private int add(long wqe, boolean atomic, int id) {
        int slot = (head + count++) % wqes.length;
        wqes[slot] = wqe;
        atomics[slot] = atomic;
        ids[slot] = id;
        return slot;
    }

    /** Sequence number in the send queue of the oldest request, or {@link #NO_WORK_REQUEST}. */
    long oldestWqe() {
        return wqes[head];
    }

    /** Sequence number of the oldest request that was posted, or {@link Long#MAX_VALUE}. */
    long oldestPosted() {
        int first = count > 0 && wqes[head] == NO_WORK_REQUEST ? 1 : 0;
        return first < count ? wqes[(head + first) % wqes.length] : Long.MAX_VALUE;
    }

    boolean isOldestAtomic() {
        return atomics[head];
    }

    int oldestId() {
        return ids[head];
    }

    int sinkStag() {
        return sinkStags[head];
    }

    /** Tagged offset of the next byte of the oldest READ's response. */
    long nextTo() {
        return sinkTos[head] + received;
    }

    /** Bytes received of the oldest READ's response. */
    long received() {
        return received;
    }

    /** Bytes missing of the oldest READ's response. */
    long missing() {
        return sizes[head] - received;
    }

    void onReceived(long bytes) {
        received += bytes;
    }

    /** Removes the oldest request, whose response is complete. */
    void removeOldest() {
        head = (head + 1) % wqes.length;
        count--;
        received = 0;
    }

    /** Finds the work request of the READ with this sink, or {@link #NO_WORK_REQUEST}. */
    long findRead(int sinkStag, long sinkTo, long size) {
        for (int i = 0; i < count; i++) {
            int slot = (head + i) % wqes.length;
            if (!atomics[slot] && sinkStags[slot] == sinkStag && sinkTos[slot] == sinkTo && sizes[slot] == size) {
                return wqes[slot];
            }
        }
        return NO_WORK_REQUEST;
    }

    /** Finds the work request of the atomic with this request identifier, or {@link #NO_WORK_REQUEST}. */
    long findAtomic(int id) {
        for (int i = 0; i < count; i++) {
            int slot = (head + i) % wqes.length;
            if (atomics[slot] && ids[slot] == id) {
                return wqes[slot];
            }
        }
        return NO_WORK_REQUEST;
    }
}
