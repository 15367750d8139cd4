// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;

/** A queue pair and what its application did to it. */
final class Endpoint {
    final Side side;
    final QueuePair qp;
    /** Memory for this connection alone, to be deregistered in its midst; null for none. */
    final ShadowedMemory doomed;
    /** The application moved it to ERR. */
    boolean toldToFail;
    /** The application destroyed it. */
    boolean closed;
    /** The device said why it gave the queue pair up; null before. */
    AsyncEventType event;

    Endpoint(Side side, QueuePair qp, ShadowedMemory doomed) {
        this.side = side;
        this.qp = qp;
        this.doomed = doomed;
    }

    /** Takes no packets any more. */
    boolean isDead() {
        return closed || qp.state() == QpState.ERR;
    }

    /** Memory of this endpoint was deregistered. */
    boolean lostMemory() {
        return doomed != null && doomed.isDead();
    }

    /** An asynchronous event, which is due only to a queue pair whose memory went away, and only once. */
    void onEvent(AsyncEventType type) {
        boolean good = lostMemory() && event == null
            && (type == AsyncEventType.QP_ACCESS_ERR || type == AsyncEventType.QP_FATAL);
        if (!good) {
            throw new AssertionError("asynchronous event " + type + " after " + event + (lostMemory() ? "" : ", nothing was deregistered"));
        }
        event = type;
    }
}
