// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import org.softrdma.device.agent.DeadlineHeap;

/**
 * A disconnect: what was posted before is still done, and the peer has its answers. That can take as long as it likes, provided that it
 * goes on; a peer that answers no READ any more, or takes no bytes, cannot hold it up for ever. What goes on for the peer alone does not
 * count, as it could ask again and again.
 */
public final class Closing {
    /**
     * So long, and less than twice as long, nothing of ours may go on. Longer than any pause of a responder, and than TCP takes for
     * several repetitions. Kernel siw 6.1 has no patience at all: it flushes what is not done.
     */
    public static final long PATIENCE_NS = 15_000_000_000L;

    private boolean progress;
    private long deadlineNs = DeadlineHeap.NEVER;

    /** Starts the time limit of a disconnect. */
    void begin(long nowNs) {
        progress = false;
        deadlineNs = nowNs + PATIENCE_NS;
    }

    /** It is over, or there was none. */
    void end() {
        deadlineNs = DeadlineHeap.NEVER;
    }

    /** A piece of a work request of ours went out, or of its answer came in. */
    void onProgress() {
        progress = true;
    }

    /** When {@link #isStuck} must be asked. */
    long deadlineNs() {
        return deadlineNs;
    }

    /** Whether it is to be given up. */
    boolean isStuck(long nowNs) {
        if (deadlineNs == DeadlineHeap.NEVER || nowNs - deadlineNs < 0) {
            return false;
        }
        boolean stuck = !progress;
        progress = false;
        deadlineNs = nowNs + PATIENCE_NS;
        return stuck;
    }
}
