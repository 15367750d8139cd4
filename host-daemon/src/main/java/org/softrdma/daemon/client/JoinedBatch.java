// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;

/** A batch that is written into the send queue, and published when it is complete. */
final class JoinedBatch implements SendBatch {
    private final JoinedQueuePair qp;
    private final int operations;
    private final SendRequest request = new SendRequest();
    private boolean open;
    /** The application has {@link #request}, which is not written yet. */
    private boolean filling;
    /** First error, or null. With an error {@link #complete} posts nothing. */
    private VerbsException refused;

    JoinedBatch(JoinedQueuePair qp, int operations) {
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
        write();
        filling = true;
        return request.send();
    }

    private void write() {
        if (!filling || refused != null) {
            return;
        }
        filling = false;
        try {
            if ((operations & SendOps.of(request.opcode())) == 0) {
                throw new VerbsException(Errno.EINVAL, "wr_complete",
                    request.opcode() + " is not among the operations of the batch (0x" + Integer.toHexString(operations) + ")");
            }
            qp.stage(request);
        } catch (VerbsException wrong) {
            refused = wrong;
        }
    }

    @Override
    public void complete() {
        requireOpen("wr_complete");
        write();
        open = false;
        qp.endBatch(refused == null);
        if (refused != null) {
            throw refused;
        }
    }

    @Override
    public void abort() {
        requireOpen("wr_abort");
        open = false;
        qp.endBatch(false);
    }

    private void requireOpen(String verb) {
        if (!open || !qp.isInBatch()) {
            throw new VerbsException(Errno.EINVAL, verb, "no batch was begun by this thread; call start() first");
        }
    }
}
