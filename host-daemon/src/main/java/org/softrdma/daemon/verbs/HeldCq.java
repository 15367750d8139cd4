// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.daemon.rings.CompletionEvents;
import org.softrdma.daemon.rings.RingCompletions;
import org.softrdma.daemon.rings.RingSpace;
import org.softrdma.device.verbs.SoftCompletionQueue;

/** A completion queue: its ring in the program's memory, its channel, and the number of its events. */
final class HeldCq extends HeldObject implements CompletionEvents {
    private static final int ROUNDS_BEFORE_RESIZE = 16;

    private final UverbsFile file;
    private final CompletionChannelFile channel;
    private final EventCookie cookie;
    private final RingCompletions ring;
    private final SoftCompletionQueue queue;
    /** Events written to the channel. Accessed with the owner's lock held. */
    private int announced;

    /**
     * Creates a queue.
     *
     * @param channel null for none
     * @throws org.softrdma.verbs.VerbsException ENOMEM: no room for its ring; EINVAL
     */
    HeldCq(UverbsFile file, int cqe, int vector, CompletionChannelFile channel, EventCookie cookie) {
        super(Kind.CQ);
        this.file = file;
        this.channel = channel;
        this.cookie = cookie;
        ring = file.driver().rings().completions(file.rings(), cqe, this);
        try {
            queue = file.context().createCq(cqe, vector, ring);
        } catch (RuntimeException refused) {
            file.rings().free(ring.extent());
            throw refused;
        }
        file.listen(queue, cookie);
    }

    RingCompletions ring() {
        return ring;
    }

    SoftCompletionQueue queue() {
        return queue;
    }

    void arm(boolean solicitedOnly) {
        ReentrantLock owner = file.owner();
        owner.lock();
        try {
            ring.arm(solicitedOnly);
        } finally {
            owner.unlock();
        }
    }

    /**
     * Moves the completions into a ring of another size. What was posted before completes first, as far as it does without a peer: the
     * kernel executes it in the doorbell.
     */
    void resize(int cqe) {
        int rounds = 0;
        while (file.context().agent().doWork() > 0 && rounds < ROUNDS_BEFORE_RESIZE) {
            rounds++;
        }
        ReentrantLock owner = file.owner();
        owner.lock();
        try {
            file.rings().free(ring.resize(file.rings(), cqe));
        } finally {
            owner.unlock();
        }
    }

    @Override
    public void completed() {
        if (channel != null && channel.announce(cookie.userHandle())) {
            announced++;
        }
    }

    @Override
    public void overrun() {
        queue.raiseOverrun();
    }

    @Override
    void destroy() {
        queue.close();
        file.forget(queue);
        RingSpace.Extent place = ring.extent();
        file.rings().free(place);
    }

    /**
     * Drops the completion events of the destroyed queue that the program has not read.
     *
     * @return number of events that the program has read and must acknowledge
     */
    int settleCompletions() {
        int unread = channel == null ? 0 : channel.purge(cookie.userHandle());
        return Math.max(0, announced - unread);
    }

    /** As {@link #settleCompletions}, of asynchronous events. */
    int settleAsync() {
        return cookie.settle();
    }
}
