// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.queue.CompletedOpcodes;
import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.SendRing;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Completes send work requests, always the oldest first. */
public final class SendCompletions {
    private static final long NONE = -1;

    private final QueuePairCore qp;
    private final SendRing ring;
    private final CompletionSink sink;
    private final boolean signalAll;
    private final Counters.Counter completed;
    /** Sequence number of the work request that failed. Sequence numbers are never reused, so a completed one matches no other request. */
    private long failed = NONE;
    private Reason reason;

    /**
     * Creates the send side of a queue pair.
     *
     * @param completed counts work requests that completed with success
     */
    public SendCompletions(QueuePairCore qp, Counters.Counter completed) {
        this.qp = qp;
        this.completed = completed;
        ring = qp.queues().sends();
        sink = qp.queues().sendCq();
        signalAll = qp.queues().signalAll();
    }

    /** Completes the oldest work request with success. If the completion queue overruns, the queue pair goes to ERR. */
    public void completeHead() {
        long wqe = ring.head();
        completed.count();
        boolean delivered = true;
        if (signalAll || (ring.flags(wqe) & SendFlags.SIGNALED) != 0) {
            int bytes = (int) ring.length(wqe);
            qp.observer().completed(true, ring.wrId(wqe), WcStatus.SUCCESS, CompletedOpcodes.of(ring.opcode(wqe)), bytes, null);
            delivered = releaseAndPush(wqe, WcStatus.SUCCESS, bytes);
        } else {
            ring.release(wqe + 1);
        }
        qp.checkDrained();
        if (!delivered) {
            failForOverrun();
        }
    }

    private void failForOverrun() {
        qp.onFailure(RecordedEvent.Effect.FAILED, Failure.of(Reason.COMPLETION_QUEUE_OVERRUN));
        qp.enterError();
    }

    /**
     * Marks a work request as failed. Its completion is delivered by the next {@link #flush}, which must follow with the change of state:
     * an application that polls the completion must find the queue pair in the resulting state.
     *
     * @param why its reason has the status of the completion
     */
    public void fail(long wqe, Failure why) {
        qp.onFailure(RecordedEvent.Effect.FAILED, why);
        failed = wqe;
        reason = why.reason();
    }

    /**
     * Completes everything posted with WR_FLUSH_ERR, and the work request that failed with its own status. A queue pair in SQE goes to ERR
     * if the completion queue overruns.
     */
    public void flush() {
        int flushed = 0;
        boolean delivered = true;
        for (long wqe = ring.head(); wqe < ring.tail(); wqe = ring.head()) {
            if (wqe == failed) {
                qp.observer().completed(true, ring.wrId(wqe), reason.status(), CompletedOpcodes.of(ring.opcode(wqe)), 0, reason);
                delivered &= releaseAndPushFailure(wqe, reason);
            } else {
                delivered &= releaseAndPushFailure(wqe, Reason.FLUSHED);
                flushed++;
            }
        }
        if (flushed > 0) {
            qp.observer().flushed(flushed);
        }
        if (!delivered && qp.state() == QpState.SQE) {
            failForOverrun();
        }
    }

    /** As {@link #releaseAndPush}, for a failure. */
    private boolean releaseAndPushFailure(long wqe, Reason why) {
        long wrId = ring.wrId(wqe);
        WcOpcode opcode = CompletedOpcodes.of(ring.opcode(wqe));
        ring.release(wqe + 1);
        return sink.pushFailure(wrId, why.status(), opcode, why.code(), qp.qpn());
    }

    /**
     * Frees the slot before its completion becomes visible: the application may post again as soon as it has polled it.
     *
     * @return false if the completion queue overran
     */
    private boolean releaseAndPush(long wqe, WcStatus status, int byteLength) {
        long wrId = ring.wrId(wqe);
        WcOpcode opcode = CompletedOpcodes.of(ring.opcode(wqe));
        ring.release(wqe + 1);
        return sink.push(wrId, status, opcode, byteLength, 0, qp.qpn(), 0, 0, false);
    }
}
