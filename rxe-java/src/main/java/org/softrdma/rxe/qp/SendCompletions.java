// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.CompletedOpcodes;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Ends send work requests, always the oldest first. */
final class SendCompletions {
    private final QpMachine qp;
    private final SendRing ring;
    /** The work request that failed, and why; one that is gone matches none. */
    private long failed = -1;
    private WcStatus reason;

    SendCompletions(QpMachine qp, SendRing ring) {
        this.qp = qp;
        this.ring = ring;
    }

    /** The oldest work request is done. */
    void completeHead() {
        long wqe = ring.head();
        qp.counters().count(RxeCounter.RDMA_SENDS);
        boolean signaled = (ring.flags(wqe) & SendFlags.SIGNALED) != 0 || qp.signalAll();
        boolean delivered = true;
        if (signaled) {
            delivered = releaseAndPush(wqe, WcStatus.SUCCESS, (int) ring.length(wqe));
        } else {
            ring.release(wqe + 1);
        }
        qp.onSendComplete();
        if (!delivered) {
            qp.enterError();
        }
    }

    /**
     * The oldest work request failed. It completes when everything is flushed, which the service must do next: whoever sees the completion
     * is to find the queue pair in the state that comes of it.
     */
    void failHead(WcStatus status) {
        failed = ring.head();
        reason = status;
    }

    /** Ends whatever is posted with WR_FLUSH_ERR, but for the one that failed. */
    void flush() {
        for (long wqe = ring.head(); wqe < ring.tail(); wqe = ring.head()) {
            releaseAndPush(wqe, wqe == failed ? reason : WcStatus.WR_FLUSH_ERR, 0);
        }
    }

    /** The slot is free before its completion can be seen: whoever polls it may post again at once. @return false if the queue overran */
    private boolean releaseAndPush(long wqe, WcStatus status, int byteLength) {
        long wrId = ring.wrId(wqe);
        WcOpcode opcode = CompletedOpcodes.of(ring.opcode(wqe));
        ring.release(wqe + 1);
        return qp.sendCq().push(wrId, status, opcode, byteLength, 0, qp.qpn(), 0, false);
    }
}
