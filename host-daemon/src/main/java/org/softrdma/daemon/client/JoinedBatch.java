// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.provider.StagedSendBatch;

/** A batch that is written into the send queue, and published when it is complete. */
final class JoinedBatch extends StagedSendBatch {
    private final JoinedQueuePair qp;

    JoinedBatch(JoinedQueuePair qp, int operations) {
        super(operations);
        this.qp = qp;
    }

    @Override
    protected void begin() {
        qp.beginBatch();
    }

    @Override
    protected void stage(SendRequest request) {
        qp.stage(request);
    }

    @Override
    protected void end(boolean post) {
        qp.endBatch(post);
    }

    @Override
    protected boolean isOwner() {
        return qp.isInBatch();
    }
}
