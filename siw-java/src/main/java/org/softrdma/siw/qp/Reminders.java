// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import org.softrdma.device.agent.DeadlineHeap;

/**
 * When an initiator says something once more. Kernel siw 6.1 as responder begins to look at its stream a moment after it sent its reply,
 * and overlooks what came in between until another TCP segment comes; on a busy machine the moment is longer than any pause. So who has
 * sent something and heard nothing sends an RDMA WRITE of no bytes behind it, which changes nothing at any peer (RFC 5040 §5.1), a few
 * times, and less and less often.
 */
final class Reminders {
    /** From the first frame to the first reminder; each further one takes twice as long. */
    static final long FIRST_NS = 100_000_000;
    /** The last one is sent 6.3 s after the first frame. */
    static final int MOST = 6;

    private int left;
    private long intervalNs;
    private long deadlineNs = DeadlineHeap.NEVER;
    private boolean due;

    /** A connection begins whose peer may overlook what is said first. */
    void begin() {
        left = MOST;
        intervalNs = FIRST_NS;
    }

    /** The peer was heard, or there is no connection any more. */
    void end() {
        left = 0;
        due = false;
        deadlineNs = DeadlineHeap.NEVER;
    }

    /** Frames were sent. */
    void onSent(long nowNs) {
        if (left > 0 && !due && deadlineNs == DeadlineHeap.NEVER) {
            deadlineNs = nowNs + intervalNs;
            intervalNs *= 2;
        }
    }

    /** A reminder is to be sent at the next occasion. */
    boolean isDue() {
        return due;
    }

    /** It was. */
    void onReminded() {
        due = false;
        left--;
    }

    /** When {@link #onTimer} must be called. */
    long deadlineNs() {
        return deadlineNs;
    }

    void onTimer(long nowNs) {
        if (deadlineNs != DeadlineHeap.NEVER && nowNs - deadlineNs >= 0) {
            deadlineNs = DeadlineHeap.NEVER;
            due = true;
        }
    }
}
