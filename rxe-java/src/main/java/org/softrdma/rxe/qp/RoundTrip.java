// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.wire.roce.Psn;

/**
 * Round-trip time of one peer, smoothed as in TCP (RFC 6298 §2, §3). One packet at a time that requests an acknowledgement is timed, and
 * none that was sent again, because it is unknown which copy was acknowledged.
 */
final class RoundTrip {
    /** Lower bound of {@link #silenceNs}: a general-purpose host may itself cause shorter pauses. */
    private static final long SHORTEST_SILENCE_NS = 4_000_000;

    private boolean timing;
    private int timedPsn;
    private long sentNs;
    private boolean known;
    private long smoothedNs;
    private long variationNs;

    void reset() {
        timing = false;
        known = false;
    }

    /** A packet that requests an acknowledgement was sent for the first time. */
    void onAckRequested(int psn, long nowNs) {
        if (!timing) {
            timing = true;
            timedPsn = psn;
            sentNs = nowNs;
        }
    }

    /** All packets before {@code unacked} were acknowledged. */
    void onAcknowledged(int unacked, long nowNs) {
        if (!timing || Psn.compare(unacked, timedPsn) <= 0) {
            return;
        }
        timing = false;
        long sampleNs = nowNs - sentNs;
        if (known) {
            variationNs += (Math.abs(smoothedNs - sampleNs) - variationNs) / 4;
            smoothedNs += (sampleNs - smoothedNs) / 8;
        } else {
            known = true;
            smoothedNs = sampleNs;
            variationNs = sampleNs / 2;
        }
    }

    /**
     * Stops timing because packets are sent again, and the timed one may be among them. While nothing is known yet its time is better than
     * none: it can only be too long.
     */
    void onSentAgain() {
        timing = timing && !known;
    }

    /** Whether at least one packet was timed. */
    boolean isKnown() {
        return known;
    }

    /** Length of a silence after which a packet was most likely lost. Requires {@link #isKnown}. */
    long silenceNs() {
        return Math.max(2 * smoothedNs + 4 * variationNs, SHORTEST_SILENCE_NS);
    }
}
