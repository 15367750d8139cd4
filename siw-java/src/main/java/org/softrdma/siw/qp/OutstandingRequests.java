// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

/**
 * The READs and atomics the peer has not answered yet, oldest first: it answers in their order. At most ORD of them; the next one waits in
 * the send queue.
 */
final class OutstandingRequests {
    /** What stands for the work request of a READ that nobody posted: the first message of a peer-to-peer connection. */
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
    /** Bytes of the oldest READ's response that came. */
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

    /** A READ request goes out. @param id its MSN */
    void addRead(long wqe, int id, int sinkStag, long sinkTo, long size) {
        int slot = add(wqe, false, id);
        sinkStags[slot] = sinkStag;
        sinkTos[slot] = sinkTo;
        sizes[slot] = size;
    }

    /** An atomic request goes out. @param id its MSN, which is the request identifier, too */
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

    /** Sequence number in the send queue of the oldest one, or {@link #NO_WORK_REQUEST}. */
    long oldestWqe() {
        return wqes[head];
    }

    /** The oldest one somebody posted, or {@link Long#MAX_VALUE}. */
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

    /** Where the next byte of the response to the oldest READ belongs. */
    long nextTo() {
        return sinkTos[head] + received;
    }

    /** Bytes of the oldest READ that have come. */
    long received() {
        return received;
    }

    /** Bytes of the oldest READ that are missing. */
    long missing() {
        return sizes[head] - received;
    }

    void onReceived(long bytes) {
        received += bytes;
    }

    /** The oldest one is answered. */
    void removeOldest() {
        head = (head + 1) % wqes.length;
        count--;
        received = 0;
    }

    /** The work request whose READ has this sink, or {@link #NO_WORK_REQUEST}. */
    long findRead(int sinkStag, long sinkTo, long size) {
        for (int i = 0; i < count; i++) {
            int slot = (head + i) % wqes.length;
            if (!atomics[slot] && sinkStags[slot] == sinkStag && sinkTos[slot] == sinkTo && sizes[slot] == size) {
                return wqes[slot];
            }
        }
        return NO_WORK_REQUEST;
    }

    /** The work request whose atomic has this request identifier, or {@link #NO_WORK_REQUEST}. */
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
