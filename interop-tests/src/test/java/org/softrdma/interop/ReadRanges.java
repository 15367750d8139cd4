// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.softrdma.wire.roce.Psn;

/**
 * The PSNs that one sender's READs occupy, one for each packet of the response. What is missing of a response is asked for by a request
 * with the first missing packet's PSN: to the responder a duplicate, though nobody has sent that request before. IBA vol 1 §9.4.4
 */
final class ReadRanges {
    /** READs by queue pair, then by PSN: their bytes. */
    private final Map<Integer, TreeMap<Integer, Long>> reads = new HashMap<>();
    /** Bytes of a response packet that is not the last, as the latest one had them. */
    private int mtu;

    /** A READ that asks for more than the rest of another. */
    void onRead(int destQp, int psn, long bytes) {
        reads.computeIfAbsent(destQp, unseen -> new TreeMap<>()).put(psn, bytes);
    }

    /** A packet of a response to such a READ that is not the last. */
    void onResponse(int payloadBytes) {
        mtu = payloadBytes;
    }

    /** Whether a PSN is that of a READ's response, behind its first packet. */
    boolean isInside(int destQp, int psn) {
        TreeMap<Integer, Long> ofQueuePair = reads.get(destQp);
        if (ofQueuePair == null || mtu == 0) {
            return false;
        }
        // The nearest one before, also over the end of the PSNs.
        Map.Entry<Integer, Long> before = ofQueuePair.lowerEntry(psn);
        Map.Entry<Integer, Long> read = before != null ? before : ofQueuePair.lastEntry();
        int distance = Psn.distance(read.getKey(), psn);
        return distance > 0 && distance < (read.getValue() + mtu - 1) / mtu;
    }
}
