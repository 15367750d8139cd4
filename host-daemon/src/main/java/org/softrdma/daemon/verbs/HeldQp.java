// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.daemon.rings.LostPages;
import org.softrdma.daemon.rings.PostedSends;
import org.softrdma.daemon.rings.RingFormat;
import org.softrdma.daemon.rings.RingQueuePair;
import org.softrdma.daemon.rings.RingSpace;
import org.softrdma.device.verbs.SoftQueuePair;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;

/** A queue pair with its rings in the program's memory. */
final class HeldQp extends HeldObject implements ProgramQueuePair {
    /** Multicast groups of one queue pair at most; the device has fewer in all. */
    private static final int MAX_GROUPS = 1024;

    private final UverbsFile file;
    private final EventCookie cookie;
    private final QpCapabilities granted;
    private final SoftQueuePair qp;
    private final RingQueuePair posting;
    private final RingSpace.Extent sends;
    /** Null with a shared receive queue. */
    private final RingSpace.Extent receives;
    private final List<Gid> groups = new ArrayList<>();
    /** It may send: its state is RTS or a later one. Accessed with the owner's lock held. */
    private boolean sending;

    /**
     * Parts of a new queue pair.
     *
     * @param srq     null for a receive queue of its own
     * @param granted sizes, as {@link RingFormat#grant} made them from those asked for
     */
    record Parts(QpType type, HeldPd pd, HeldCq sendCq, HeldCq recvCq, HeldSrq srq, QpCapabilities granted, boolean signalAll) {
        /**
         * Attributes for the device: its send queue has room for all that fits into the program's ring, which is less than twice of what
         * was granted; receives move into its receive queue one at a time.
         */
        QpInitAttributes init() {
            QpCapabilities own = granted.withMaxSendWr(Integer.highestOneBit(Math.max(1, granted.maxSendWr())) << 1).withMaxRecvWr(1);
            return new QpInitAttributes(type, sendCq.queue(), recvCq.queue(), srq == null ? null : srq.queue(), own, signalAll);
        }
    }

    /**
     * Creates a queue pair in RESET.
     *
     * @throws VerbsException EINVAL: beyond the device's limits; EOPNOTSUPP: another service; ENOMEM: no room for its rings
     */
    HeldQp(UverbsFile file, Parts parts, EventCookie cookie) {
        super(Kind.QP);
        this.file = file;
        this.cookie = cookie;
        granted = parts.granted;
        qp = (SoftQueuePair) parts.pd.pd().createQp(parts.init());
        RingFormat format = file.driver().rings();
        ReentrantLock owner = file.owner();
        owner.lock();
        RingSpace.Extent made = null;
        try {
            PostedSends posted = format.sends(file.rings(), granted);
            sends = posted.extent();
            made = sends;
            if (parts.srq == null) {
                RingFormat.Receives own = format.receives(file.rings(), granted.maxRecvWr(), granted.maxRecvSge());
                receives = own.extent();
                qp.takeReceivesFrom(own.posted());
            } else {
                receives = null;
            }
            posting = new RingQueuePair(qp, posted, parts.sendCq.ring(), file.objects(), file.door());
            LostPages.raise();
            file.door().add(file.number(), posting);
        } catch (RuntimeException | InternalError refused) {
            // An InternalError is an access to a page that the program has cut off, noticed late.
            if (made != null) {
                file.rings().free(made);
            }
            qp.close();
            throw refused;
        } finally {
            owner.unlock();
        }
        file.listen(qp, cookie);
        file.add(this);
    }

    @Override
    public SoftQueuePair qp() {
        return qp;
    }

    QpCapabilities granted() {
        return granted;
    }

    RingSpace.Extent sends() {
        return sends;
    }

    /** Returns the place of the receive queue, or null with a shared one. */
    RingSpace.Extent receives() {
        return receives;
    }

    /** Changes attributes, and takes up what the program has posted in advance. */
    void modify(QpAttributes change) {
        file.sendPosted();
        qp.modify(change);
        noteModified();
    }

    @Override
    public void noteModified() {
        ReentrantLock owner = file.owner();
        owner.lock();
        try {
            QpState now = qp.state();
            posting.onModified(now);
            noteSending(now.compareTo(QpState.RTS) >= 0);
        } finally {
            owner.unlock();
        }
    }

    private void noteSending(boolean may) {
        if (may != sending) {
            sending = may;
            file.countSending(may ? 1 : -1);
        }
    }

    void attach(Gid group) {
        if (groups.contains(group)) {
            return;
        }
        if (groups.size() == MAX_GROUPS) {
            throw new VerbsException(Errno.ENOMEM, "attach_mcast", "a queue pair is in " + MAX_GROUPS + " groups at most");
        }
        qp.attachMulticast(group);
        groups.add(group);
    }

    void detach(Gid group) {
        qp.detachMulticast(group);
        groups.remove(group);
    }

    @Override
    void release() {
        for (Gid each : List.copyOf(groups)) {
            detach(each);
        }
    }

    @Override
    void destroy() {
        if (!groups.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, "destroy_qp", "it is attached to " + groups);
        }
        ReentrantLock owner = file.owner();
        owner.lock();
        try {
            posting.close();
            noteSending(false);
            file.door().remove(file.number(), posting);
            qp.close();
        } finally {
            owner.unlock();
        }
        file.forget(qp);
        file.remove(this);
        file.rings().free(sends);
        if (receives != null) {
            file.rings().free(receives);
        }
    }

    /** Drops the events of the destroyed queue pair; returns the number of those that the program has read. */
    int settleAsync() {
        return cookie.settle();
    }
}
