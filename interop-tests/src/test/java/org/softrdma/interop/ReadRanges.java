// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.softrdma.wire.roce.Psn;

/**
 * PSNs that one sender's READs occupy, one for each packet of the response. The missing part of a response is requested with the PSN of its
 * first packet: a duplicate for the responder, although that request was never sent before. IBA vol 1 §9.4.4
 */
final class ReadRanges {
    /** Length of each READ in bytes, by queue pair, then by PSN. */
    private final Map<Integer, TreeMap<Integer, Long>> reads = new HashMap<>();
    /** Payload bytes of the latest response packet that was not the last of its response. */
    private int mtu;

    /** Records a READ request, except one for the rest of another READ. */
    void onRead(int destQp, int psn, long bytes) {
        reads.computeIfAbsent(destQp, unseen -> new TreeMap<>()).put(psn, bytes);
    }

    /** Records a response packet that is not the last of its response. */
    void onResponse(int payloadBytes) {
        mtu = payloadBytes;
    }

    /** Whether a PSN belongs to the response of a READ, after its first packet. */
    boolean isInside(int destQp, int psn) {
        TreeMap<Integer, Long> ofQueuePair = reads.get(destQp);
        if (ofQueuePair == null || mtu == 0) {
            return false;
        }
        // The nearest READ before the PSN, also across the wrap of the PSNs.
        Map.Entry<Integer, Long> before = ofQueuePair.lowerEntry(psn);
        Map.Entry<Integer, Long> read = before != null ? before : ofQueuePair.lastEntry();
        int distance = Psn.distance(read.getKey(), psn);
        return distance > 0 && distance < (read.getValue() + mtu - 1) / mtu;
    }
}
