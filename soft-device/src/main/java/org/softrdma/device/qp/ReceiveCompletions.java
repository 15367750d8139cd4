// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

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
            qp.onFailure(RecordedEvent.Effect.FAILED, Failure.of(Reason.COMPLETION_QUEUE_OVERRUN));
            qp.enterError();
        }
    }

    /**
     * Completes the current receive with an error. The caller sets the queue pair's state.
     *
     * @param why its reason has the status of the completion
     */
    public void fail(Failure why) {
        qp.onFailure(RecordedEvent.Effect.FAILED, why);
        long wrId = receives.finish();
        Reason reason = why.reason();
        qp.observer().completed(false, wrId, reason.status(), WcOpcode.RECV, 0, reason);
        pushFailure(wrId, reason);
    }

    private void pushFailure(long wrId, Reason why) {
        sink.pushFailure(wrId, why.status(), WcOpcode.RECV, why.code(), qp.qpn());
    }

    /** Completes every receive of this queue pair with WR_FLUSH_ERR; receives in a shared queue are not included. */
    public void flush() {
        int flushed = 0;
        for (int left = receives.toFlush(); left > 0 && receives.takeToFlush(); left--) {
            pushFailure(receives.finish(), Reason.FLUSHED);
            flushed++;
        }
        if (flushed > 0) {
            qp.observer().flushed(flushed);
        }
    }
}
