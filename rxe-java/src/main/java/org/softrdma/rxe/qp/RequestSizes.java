// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.SendRing;
import org.softrdma.rxe.config.Segmentation;

/**
 * Decides how many packets of a READ or WRITE one request covers; see {@link Segmentation}. The decision is kept with the work request,
 * so that every transmission of it is the same.
 *
 * <p>WRITEs are cut only where the peer has accepted WRITEs before: a responder refuses a WRITE that leaves its region before any of its
 * data is placed, which holds for a request and not for the message that was cut into several.
 */
final class RequestSizes {
    /** Packets of a message that is cut: beyond, two datagrams more for each message do not count. */
    static final int MOST_CUT_PACKETS = 64;
    /** Packets of one request for a READ that is cut: a First and a Last response have the same length, and so has an Only. */
    static final int CUT_READ_PACKETS = 2;
    /** READs that are cut leave room in the peer's depth for so many of their size. */
    private static final int READS_AT_ONCE = 8;
    /** Half the largest window: a loss wastes no more than that, and few trains of responses are cut short. */
    private static final int READ_PACKETS = SendWindow.MAX_PACKETS / 2;
    /** A peer that accepts fewer READs at a time is sent one request for all of a message. */
    private static final int SPLIT_FROM_DEPTH = 4;

    private final SendRing ring;
    private boolean equal;
    /** Key and range of memory that the peer has accepted WRITEs to; nothing while both addresses are equal. */
    private int acceptedKey;
    private long acceptedFrom;
    private long acceptedEnd;

    RequestSizes(SendRing ring) {
        this.ring = ring;
    }

    void follow(Segmentation segmentation) {
        equal = segmentation == Segmentation.EQUAL;
    }

    boolean isEqual() {
        return equal;
    }

    /** Forgets what the peer accepted: the connection is a new one. */
    void reset() {
        acceptedEnd = acceptedFrom;
    }

    /** Packets for each request of a READ of so many packets, with a peer that accepts {@code depth} requests at a time. */
    int ofRead(int packets, int depth) {
        if (equal && packets <= MOST_CUT_PACKETS && (packets + 1) / CUT_READ_PACKETS * READS_AT_ONCE <= depth) {
            return CUT_READ_PACKETS;
        }
        return depth < SPLIT_FROM_DEPTH ? Integer.MAX_VALUE : READ_PACKETS;
    }

    /** Packets for each request of a WRITE without immediate data: 1, or all. */
    int ofWrite(long wqe, int packets) {
        return equal && packets <= MOST_CUT_PACKETS && isAccepted(wqe) ? 1 : packets;
    }

    private boolean isAccepted(long wqe) {
        long offset = ring.remoteAddress(wqe) - acceptedFrom;
        long accepted = acceptedEnd - acceptedFrom;
        return ring.rkey(wqe) == acceptedKey && offset >= 0 && offset < accepted && ring.length(wqe) <= accepted - offset;
    }

    /** Takes note that the peer has executed a WRITE: of neighbouring ranges the union counts, of others the last. */
    void onWritten(long wqe) {
        if (!equal || ring.length(wqe) == 0) {
            return;
        }
        int key = ring.rkey(wqe);
        long from = ring.remoteAddress(wqe);
        long end = from + ring.length(wqe);
        boolean touches = key == acceptedKey && from - acceptedEnd <= 0 && acceptedFrom - end <= 0;
        acceptedFrom = touches && acceptedFrom - from < 0 ? acceptedFrom : from;
        acceptedEnd = touches && acceptedEnd - end > 0 ? acceptedEnd : end;
        acceptedKey = key;
    }
}
