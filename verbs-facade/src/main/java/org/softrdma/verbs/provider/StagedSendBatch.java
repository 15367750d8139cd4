// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.provider;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WrOpcode;

/** A batch whose requests are staged one after the other, each when the next one is added, and posted together. */
public abstract class StagedSendBatch implements SendBatch {
    private final int operations;
    private final SendRequest request = new SendRequest();
    private boolean open;
    /** The application has {@link #request}, which is not staged yet. */
    private boolean filling;
    /** First error, or null. With an error {@link #complete} posts nothing. */
    private VerbsException refused;

    /** @param operations bits of {@link SendOps}: the operations that the batch is made for */
    protected StagedSendBatch(int operations) {
        this.operations = operations;
    }

    /** Takes the send queue for this thread. */
    protected abstract void begin();

    /**
     * Checks a request, and writes it behind those staged before.
     *
     * @throws VerbsException it cannot be posted, and so the batch cannot
     */
    protected abstract void stage(SendRequest request);

    /**
     * Gives the send queue back.
     *
     * @param post whether what was staged is posted; it is dropped otherwise
     */
    protected abstract void end(boolean post);

    /** Returns whether this thread has the send queue, given that a batch was begun. */
    protected boolean isOwner() {
        return true;
    }

    /** Makes the exception for a request whose operation the batch was not made for. */
    protected VerbsException otherOperation(WrOpcode operation, int permitted) {
        return new VerbsException(Errno.EINVAL, "wr_complete",
            operation + " is not among the operations of the batch (0x" + Integer.toHexString(permitted) + ")");
    }

    /** Makes the exception for a call outside a batch. */
    protected VerbsException notBegun(String verb) {
        return new VerbsException(Errno.EINVAL, verb, "no batch was begun by this thread; call start() first");
    }

    @Override
    public final void start() {
        begin();
        open = true;
        filling = false;
        refused = null;
    }

    @Override
    public final SendRequest add() {
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
                throw otherOperation(request.opcode(), operations);
            }
            stage(request);
        } catch (VerbsException wrong) {
            refused = wrong;
        }
    }

    @Override
    public final void complete() {
        requireOpen("wr_complete");
        stage();
        open = false;
        end(refused == null);
        if (refused != null) {
            throw refused;
        }
    }

    @Override
    public final void abort() {
        requireOpen("wr_abort");
        open = false;
        end(false);
    }

    private void requireOpen(String verb) {
        if (!open || !isOwner()) {
            throw notBegun(verb);
        }
    }
}
