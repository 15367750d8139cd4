// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;

/** A batch of send requests that are written into the send ring at once and published to the device when the batch is complete. */
final class SoftSendBatch implements SendBatch {
    private final SendPosting posting;
    private final int operations;
    private final SendRequest request = new SendRequest();
    private boolean open;
    /** True while {@link #request} was returned to the application and is not staged yet. */
    private boolean filling;
    /** The first error, or null. If set, {@link #complete} posts nothing. */
    private VerbsException refused;

    SoftSendBatch(SendPosting posting, int operations) {
        this.posting = posting;
        this.operations = operations;
    }

    @Override
    public void start() {
        posting.beginBatch();
        open = true;
        filling = false;
        refused = null;
    }

    @Override
    public SendRequest add() {
        requireOpen("wr_start");
        stage();
        filling = true;
        return request.send();
    }

    private void stage() {
        if (!filling || refused != null) {
            return;
        }
        filling = false;
        try {
            if ((operations & SendOps.of(request.opcode())) == 0) {
                throw posting.refuse("wr_complete", Errno.EINVAL,
                    request.opcode() + " is not among the operations the batch was made for (0x" + Integer.toHexString(operations) + ")");
            }
            posting.stage(request);
        } catch (VerbsException wrong) {
            refused = wrong;
        }
    }

    @Override
    public void complete() {
        requireOpen("wr_complete");
        stage();
        open = false;
        posting.endBatch(refused == null);
        if (refused != null) {
            throw refused;
        }
    }

    @Override
    public void abort() {
        requireOpen("wr_abort");
        open = false;
        posting.endBatch(false);
    }

    private void requireOpen(String verb) {
        if (!open) {
            throw posting.refuse(verb, Errno.EINVAL, "no batch was begun; call start() first");
        }
    }
}
