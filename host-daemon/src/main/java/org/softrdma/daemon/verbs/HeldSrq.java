// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.daemon.rings.LostPages;
import org.softrdma.daemon.rings.RingFormat;
import org.softrdma.daemon.rings.RingSpace;
import org.softrdma.device.verbs.SoftSharedReceiveQueue;

/** A shared receive queue with its ring in the program's memory. */
final class HeldSrq extends HeldObject {
    private final UverbsFile file;
    private final EventCookie cookie;
    private final int maxWr;
    private final int maxSge;
    private final SoftSharedReceiveQueue queue;
    private final RingSpace.Extent extent;

    /**
     * Creates a queue.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL: beyond the device's limits; ENOMEM: no room for its ring
     */
    HeldSrq(UverbsFile file, HeldPd pd, int maxWr, int maxSge, int limit, EventCookie cookie) {
        super(Kind.SRQ);
        this.file = file;
        this.cookie = cookie;
        this.maxWr = maxWr;
        this.maxSge = maxSge;
        queue = (SoftSharedReceiveQueue) pd.pd().createSrq(maxWr, maxSge, limit);
        ReentrantLock owner = file.owner();
        owner.lock();
        try {
            RingFormat.Receives receives = file.driver().rings().receives(file.rings(), maxWr, maxSge);
            extent = receives.extent();
            queue.takeFrom(receives.posted());
            LostPages.raise();
        } catch (RuntimeException | InternalError refused) {
            queue.close();
            throw refused;
        } finally {
            owner.unlock();
        }
        file.listen(queue, cookie);
    }

    SoftSharedReceiveQueue queue() {
        return queue;
    }

    RingSpace.Extent extent() {
        return extent;
    }

    /** Returns the receives that the program asked for. */
    int maxWr() {
        return maxWr;
    }

    int maxSge() {
        return maxSge;
    }

    @Override
    void destroy() {
        queue.close();
        file.forget(queue);
        file.rings().free(extent);
    }

    /** Drops the events of the destroyed queue; returns the number of those that the program has read. */
    int settleAsync() {
        return cookie.settle();
    }
}
