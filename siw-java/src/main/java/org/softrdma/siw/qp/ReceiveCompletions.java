// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Ends receives: the current one with what happened to it, or all of them. */
final class ReceiveCompletions {
    private final SiwMachine qp;
    private final ReceiveSource receives;

    ReceiveCompletions(SiwMachine qp, ReceiveSource receives) {
        this.qp = qp;
        this.receives = receives;
    }

    /** The current receive holds a message. */
    void complete(WcOpcode opcode, long bytes, int immediateOrKey, int flags, boolean solicited) {
        qp.counters().count(SiwCounter.RDMA_RECVS);
        long wrId = receives.finish();
        if (!qp.recvCq().push(wrId, WcStatus.SUCCESS, opcode, (int) bytes, immediateOrKey, qp.qpn(), flags, solicited)) {
            qp.enterError();
        }
    }

    /** The current receive failed. What becomes of the queue pair is the caller's business. */
    void fail(WcStatus status) {
        long wrId = receives.finish();
        qp.recvCq().push(wrId, status, WcOpcode.RECV, 0, 0, qp.qpn(), 0, true);
    }

    /** Ends every receive of this queue pair with WR_FLUSH_ERR; those in a shared queue are not its own. */
    void flush() {
        while (receives.takeToFlush()) {
            fail(WcStatus.WR_FLUSH_ERR);
        }
    }
}
