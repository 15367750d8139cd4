// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Completes receives: the current one with its status, or all of them with WR_FLUSH_ERR. */
public final class ReceiveCompletions {
    private final QueuePairCore qp;
    private final ReceiveSource receives;
    private final CompletionSink sink;
    private final Counters.Counter completed;

    /**
     * Creates the receive side of a queue pair.
     *
     * @param sink      completion queue; may be null for a queue pair that never receives
     * @param completed counts receives that completed with success
     */
    public ReceiveCompletions(QueuePairCore qp, CompletionSink sink, Counters.Counter completed) {
        this.qp = qp;
        this.sink = sink;
        this.completed = completed;
        receives = qp.queues().receives();
    }

    /**
     * Completes the current receive with success. If the completion queue overruns, the queue pair goes to ERR.
     *
     * @param sourceQp sender of a datagram; 0 for connected services
     */
    public void complete(WcOpcode opcode, int bytes, int immediateOrKey, int sourceQp, int flags, boolean solicited) {
        completed.count();
        long wrId = receives.finish();
        qp.observer().completed(false, wrId, WcStatus.SUCCESS, opcode, bytes, null);
        if (!sink.push(wrId, WcStatus.SUCCESS, opcode, bytes, immediateOrKey, qp.qpn(), sourceQp, flags, solicited)) {
            qp.enterError();
        }
    }

    /** Completes the current receive with an error status. The caller sets the queue pair's state. */
    public void fail(WcStatus status) {
        long wrId = receives.finish();
        sink.push(wrId, status, WcOpcode.RECV, 0, 0, qp.qpn(), 0, 0, true);
    }

    /** Completes every receive of this queue pair with WR_FLUSH_ERR; receives in a shared queue are not included. */
    public void flush() {
        int flushed = 0;
        for (int left = receives.toFlush(); left > 0 && receives.takeToFlush(); left--) {
            fail(WcStatus.WR_FLUSH_ERR);
            flushed++;
        }
        if (flushed > 0) {
            qp.observer().flushed(flushed);
        }
    }
}
