// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import org.softrdma.device.agent.Deadline;

/**
 * Schedule of the reminders that an initiator sends. Kernel siw 6.1 as responder begins to read its stream a moment after it sent its
 * reply, and does not notice what was received in between until another TCP segment arrives; on a busy machine the moment is longer than
 * any pause. An initiator that has sent something and received nothing therefore sends empty RDMA WRITEs, which have no effect at any peer
 * (RFC 5040 §5.1), a few times and at growing intervals.
 *
 * <p>A peer that has sent something reads by then, but its program may have sent it unasked, before the peer read what it had missed:
 * the next frame shows that, or else one last reminder.
 */
final class Reminders {
    /** Time from the first frame to the first reminder; each further interval is twice as long. */
    static final long FIRST_NS = 100_000_000;
    /** Maximum number of reminders: the last one is sent 6.3 s after the first frame. */
    static final int MOST = 6;

    private int left;
    private long intervalNs;
    private long deadlineNs = Deadline.NEVER;
    private boolean due;
    private boolean heard;

    /** Begins a connection whose peer may miss the first frames. */
    void begin() {
        left = MOST;
        intervalNs = FIRST_NS;
        heard = false;
    }

    /** Records the first frame of the peer. */
    void onHeard() {
        boolean mayHaveMissed = due || deadlineNs != Deadline.NEVER;
        if (mayHaveMissed) {
            heard = true;
        } else {
            end();
        }
    }

    /** Ends the reminders: the peer has nothing left to miss, or the connection has ended. */
    void end() {
        left = 0;
        due = false;
        deadlineNs = Deadline.NEVER;
    }

    /** Starts the interval to the next reminder, after frames were sent. */
    void onSent(long nowNs) {
        if (heard) {
            end();
        } else if (left > 0 && !due && deadlineNs == Deadline.NEVER) {
            deadlineNs = nowNs + intervalNs;
            intervalNs *= 2;
        }
    }

    /** Whether a reminder must be sent when no message is under way. */
    boolean isDue() {
        return due;
    }

    /** Records that a reminder was sent. */
    void onReminded() {
        due = false;
        left--;
    }

    /** When {@link #onTimer} must be called. */
    long deadlineNs() {
        return deadlineNs;
    }

    void onTimer(long nowNs) {
        if (deadlineNs != Deadline.NEVER && nowNs - deadlineNs >= 0) {
            deadlineNs = Deadline.NEVER;
            due = true;
        }
    }
}
