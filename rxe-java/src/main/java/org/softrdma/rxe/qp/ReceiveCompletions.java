// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Ends receives: the current one with what happened to it, or all of them. */
final class ReceiveCompletions {
    private final QpMachine qp;
    private final RequestContext context;
    private final ReceiveSource receives;

    ReceiveCompletions(QpMachine qp) {
        this.qp = qp;
        context = qp.requestContext();
        receives = context.receives();
    }

    /** The current receive holds a message. @param sourceQp datagrams only: who sent it */
    void complete(WcOpcode opcode, int bytes, int immediateOrKey, int sourceQp, int flags, boolean solicited) {
        qp.counters().count(RxeCounter.RDMA_RECVS);
        long wrId = receives.finish();
        if (!context.cq().push(wrId, WcStatus.SUCCESS, opcode, bytes, immediateOrKey, qp.qpn(), sourceQp, flags, solicited)) {
            qp.enterError();
        }
    }

    /** The current receive failed. What becomes of the queue pair is the service's business. */
    void fail(WcStatus status) {
        long wrId = receives.finish();
        context.cq().push(wrId, status, WcOpcode.RECV, 0, 0, qp.qpn(), 0, 0, true);
    }

    /** Ends every receive of this queue pair with WR_FLUSH_ERR; those in a shared queue are not its own. */
    void flush() {
        while (receives.takeToFlush()) {
            fail(WcStatus.WR_FLUSH_ERR);
        }
    }
}
