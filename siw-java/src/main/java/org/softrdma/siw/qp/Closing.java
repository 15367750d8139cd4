// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import org.softrdma.device.agent.Deadline;

/**
 * Time limit of a disconnect. Work requests posted before are still completed, and the peer's requests answered, for as long as there is
 * progress; a peer that answers no READ, or takes no bytes, cannot delay the end forever. Responses to the peer are no progress, as it
 * could send requests without end.
 */
public final class Closing {
    /**
     * How long, up to less than twice that time, there may be no progress. Longer than any pause of a responder, and than several
     * retransmissions of TCP take. Kernel siw 6.1 does not wait: it flushes what is not completed.
     */
    public static final long PATIENCE_NS = 15_000_000_000L;

    private boolean progress;
    private long deadlineNs = Deadline.NEVER;

    /** Starts the time limit of a disconnect. */
    void begin(long nowNs) {
        progress = false;
        deadlineNs = nowNs + PATIENCE_NS;
    }

    /** Ends the time limit, if there is one. */
    void end() {
        deadlineNs = Deadline.NEVER;
    }

    /** Records progress: a segment of a work request was sent, or of its response received. */
    void onProgress() {
        progress = true;
    }

    /** When {@link #isStuck} must be called. */
    long deadlineNs() {
        return deadlineNs;
    }

    /** Whether there was no progress since the last time limit, and the disconnect must be aborted. */
    boolean isStuck(long nowNs) {
        if (deadlineNs == Deadline.NEVER || nowNs - deadlineNs < 0) {
            return false;
        }
        boolean stuck = !progress;
        progress = false;
        deadlineNs = nowNs + PATIENCE_NS;
        return stuck;
    }
}
