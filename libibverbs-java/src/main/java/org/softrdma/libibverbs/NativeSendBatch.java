// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.provider.StagedSendBatch;

/** A batch that the driver builds in its send queue, from {@code ibv_wr_start} to {@code ibv_wr_complete}. */
final class NativeSendBatch extends StagedSendBatch {
    private final NativeQueuePair qp;

    NativeSendBatch(NativeQueuePair qp, int operations) {
        super(operations);
        this.qp = qp;
    }

    @Override
    protected void begin() {
        qp.beginBatch();
    }

    @Override
    protected void stage(SendRequest request) {
        qp.build(request);
    }

    @Override
    protected void end(boolean post) {
        if (post) {
            qp.completeBatch();
        } else {
            qp.abortBatch();
        }
    }

    @Override
    protected boolean isOwner() {
        return qp.isInBatch();
    }
}
