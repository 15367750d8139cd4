// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.wire.roce.Psn;

/**
 * How long the peer takes to answer, smoothed as TCP does it (RFC 6298 §2, §3): one packet at a time that asks for an answer is timed, and
 * none that was sent again, because nobody knows which copy was answered.
 */
final class RoundTrip {
    /** Shorter silences may be our own: a general-purpose host is not always running when it should be. */
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

    /** A packet that asks for an answer went out for the first time. */
    void onAsked(int psn, long nowNs) {
        if (!timing) {
            timing = true;
            timedPsn = psn;
            sentNs = nowNs;
        }
    }

    /** Everything before {@code unacked} was answered. */
    void onAnswered(int unacked, long nowNs) {
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
     * Packets are sent again: the one being timed may be among them, and tells nothing. But where nothing is known yet, its time is better
     * than none: it can only be too long.
     */
    void onSentAgain() {
        timing = timing && !known;
    }

    /** Whether anything was timed yet. */
    boolean isKnown() {
        return known;
    }

    /** After so much silence something was lost, most likely. Only once {@link #isKnown}. */
    long silenceNs() {
        return Math.max(2 * smoothedNs + 4 * variationNs, SHORTEST_SILENCE_NS);
    }
}
