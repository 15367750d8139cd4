// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.device.queue.CompletedOpcodes;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WcStatus;

/** Ends send work requests, always the oldest first. */
final class SendCompletions {
    private final SiwMachine qp;
    private final SendRing ring;

    SendCompletions(SiwMachine qp, SendRing ring) {
        this.qp = qp;
        this.ring = ring;
    }

    /** The oldest work request is done. */
    void completeOldest() {
        long wqe = ring.head();
        qp.counters().count(SiwCounter.RDMA_SENDS);
        if ((ring.flags(wqe) & SendFlags.SIGNALED) != 0 || qp.signalAll()) {
            if (!releaseAndPush(wqe, WcStatus.SUCCESS, (int) ring.length(wqe))) {
                qp.enterError();
            }
        } else {
            ring.release(wqe + 1);
        }
    }

    /** The oldest work request failed. What becomes of the others is the caller's business. */
    void failOldest(WcStatus status) {
        releaseAndPush(ring.head(), status, 0);
    }

    /** Ends whatever is posted, before {@code end}, with WR_FLUSH_ERR. */
    void flushUntil(long end) {
        while (ring.head() < end) {
            failOldest(WcStatus.WR_FLUSH_ERR);
        }
    }

    /** The slot is free before its completion can be seen: whoever polls it may post again at once. @return false if the queue overran */
    private boolean releaseAndPush(long wqe, WcStatus status, int byteLength) {
        long wrId = ring.wrId(wqe);
        int opcode = ring.opcode(wqe);
        ring.release(wqe + 1);
        return qp.sendCq().push(wrId, status, CompletedOpcodes.of(opcode), byteLength, 0, qp.qpn(), 0, false);
    }
}
