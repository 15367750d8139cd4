// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;

/** A batch that the driver builds in its send queue, from {@code ibv_wr_start} to {@code ibv_wr_complete}. */
final class NativeSendBatch implements SendBatch {
    private final NativeQueuePair qp;
    private final int operations;
    private final SendRequest request = new SendRequest();
    private boolean open;
    /** The application has {@link #request}, which is not built yet. */
    private boolean filling;
    /** First error, or null. With an error {@link #complete} posts nothing. */
    private VerbsException refused;

    NativeSendBatch(NativeQueuePair qp, int operations) {
        this.qp = qp;
        this.operations = operations;
    }

    @Override
    public void start() {
        qp.beginBatch();
        open = true;
        filling = false;
        refused = null;
    }

    @Override
    public SendRequest add() {
        requireOpen("wr_start");
        build();
        filling = true;
        return request.send();
    }

    private void build() {
        if (!filling || refused != null) {
            return;
        }
        filling = false;
        try {
            if ((operations & SendOps.of(request.opcode())) == 0) {
                throw new VerbsException(Errno.EINVAL, "wr_complete",
                    request.opcode() + " is not among the operations of the batch (0x" + Integer.toHexString(operations) + ")");
            }
            qp.build(request);
        } catch (VerbsException wrong) {
            refused = wrong;
        }
    }

    @Override
    public void complete() {
        requireOpen("wr_complete");
        build();
        open = false;
        if (refused != null) {
            qp.abortBatch();
            throw refused;
        }
        qp.completeBatch();
    }

    @Override
    public void abort() {
        requireOpen("wr_abort");
        open = false;
        qp.abortBatch();
    }

    private void requireOpen(String verb) {
        if (!open || !qp.isInBatch()) {
            throw new VerbsException(Errno.EINVAL, verb, "no batch was begun by this thread; call start() first");
        }
    }
}
