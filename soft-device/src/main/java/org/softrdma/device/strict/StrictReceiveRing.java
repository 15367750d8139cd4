// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.verbs.ReceiveRequest;

/** A receive ring with exactly the slots that were asked for, whose receives are checked when they are posted. */
final class StrictReceiveRing extends ReceiveRing {
    private final StrictReceivePosts posts;
    private final int slots;

    /** @param maxWr receives that were asked for */
    StrictReceiveRing(StrictReceivePosts posts, int maxWr, int maxElements) {
        super(maxWr, maxElements);
        this.posts = posts;
        slots = maxWr;
    }

    @Override
    public int slots() {
        return slots;
    }

    @Override
    public boolean isFull() {
        return occupied() >= slots;
    }

    @Override
    public void write(ReceiveRequest request) {
        posts.onPost(request);
        super.write(request);
    }
}
