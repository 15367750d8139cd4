// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import java.lang.foreign.MemorySegment;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.verbs.reason.Failure;

/** Receives that must be there when a message arrives. */
final class StrictReceives implements ReceiveSource {
    private final ReceiveSource receives;
    private final StrictQueuePair qp;
    private final StrictReceivePosts posts;

    StrictReceives(ReceiveSource receives, StrictQueuePair qp, StrictReceivePosts posts) {
        this.receives = receives;
        this.qp = qp;
        this.posts = posts;
    }

    @Override
    public boolean take() {
        boolean taken = receives.take();
        if (!taken) {
            posts.onMissing(qp.name());
        }
        return taken;
    }

    @Override
    public int toFlush() {
        return receives.toFlush();
    }

    @Override
    public boolean takeToFlush() {
        return receives.takeToFlush();
    }

    @Override
    public long length() {
        return receives.length();
    }

    @Override
    public boolean scatter(long offset, int length, MemorySegment from, long fromOffset) {
        return receives.scatter(offset, length, from, fromOffset);
    }

    @Override
    public Failure explain() {
        return receives.explain();
    }

    @Override
    public long finish() {
        qp.onReceiveSettled(1);
        return receives.finish();
    }

    @Override
    public void forget() {
        qp.onReset(receives.toFlush());
        receives.forget();
    }
}
