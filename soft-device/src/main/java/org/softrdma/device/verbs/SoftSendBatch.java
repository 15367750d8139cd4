// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.provider.StagedSendBatch;

/** A batch of send requests that are written into the send ring at once and published to the device when the batch is complete. */
final class SoftSendBatch extends StagedSendBatch {
    private final SendPosting posting;

    SoftSendBatch(SendPosting posting, int operations) {
        super(operations);
        this.posting = posting;
    }

    @Override
    protected void begin() {
        posting.beginBatch();
    }

    @Override
    protected void stage(SendRequest request) {
        posting.stage(request);
    }

    @Override
    protected void end(boolean post) {
        posting.endBatch(post);
    }

    @Override
    protected VerbsException otherOperation(WrOpcode operation, int permitted) {
        return posting.refuse("wr_complete", Errno.EINVAL,
            operation + " is not among the operations the batch was made for (0x" + Integer.toHexString(permitted) + ")");
    }

    @Override
    protected VerbsException notBegun(String verb) {
        return posting.refuse(verb, Errno.EINVAL, "no batch was begun; call start() first");
    }
}
