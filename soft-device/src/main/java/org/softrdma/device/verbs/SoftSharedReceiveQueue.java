// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.softrdma.device.queue.PostedReceives;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SharedQueue;
import org.softrdma.device.strict.StrictContext;
import org.softrdma.device.strict.StrictReceivePosts;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.SrqAttributes;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.provider.EventAcks;

/** A shared receive queue of a soft device: any thread posts receives, the device's owner removes them for its queue pairs' messages. */
public final class SoftSharedReceiveQueue implements SharedReceiveQueue, SharedQueue, LiveObjects.Shown {
    final Dependents children = new Dependents();

    private final SoftProtectionDomain pd;
    /** Null unless this is an XRC queue. */
    private final SoftXrcDomain domain;
    /** Null unless this is an XRC queue. */
    private final SoftCompletionQueue cq;
    private final ScatterGather data;
    /** Null unless the context is strict. */
    private final StrictReceivePosts strict;
    private final int number;
    private final int maxWrOfDevice;
    private final ReentrantLock postLock = new ReentrantLock();
    private final EventAcks asyncEvents = new EventAcks();
    private final AtomicBoolean closed = new AtomicBoolean();
    /** Null unless the program is outside this process; {@link #ring} then stays empty. Accessed with the owner's lock held. */
    private PostedReceives outside;
    /** Replaced by a resize, with the owner's lock and {@link #postLock} held. */
    private ReceiveRing ring;
    /** Armed SRQ limit in receives, 0 if disarmed. Accessed with the owner's lock held. */
    private int limit;

    /**
     * Creates a queue and registers its number with the device.
     *
     * @param domain        XRC domain, null for an ordinary shared receive queue
     * @param cq            completion queue of an XRC queue, otherwise null
     * @param maxWrOfDevice the device's limit, for {@link #resize}
     */
    SoftSharedReceiveQueue(SoftProtectionDomain pd, SoftXrcDomain domain, SoftCompletionQueue cq, int maxWr, int maxSge, int limit,
                           int maxWrOfDevice) {
        this.pd = pd;
        this.domain = domain;
        this.cq = cq;
        // The scatter elements of receives name memory regions, and those are valid for all queue pairs of their protection domain.
        data = new ScatterGather(pd.softContext().memory(), pd.number(), 0);
        this.limit = limit;
        this.maxWrOfDevice = maxWrOfDevice;
        number = underOwner(() -> pd.softContext().enter(this));
        StrictContext rules = pd.softContext().strict();
        strict = rules == null ? null : rules.sharedReceives(number, pd.number(), cq == null ? null : cq.strict());
        ring = newRing(maxWr, Math.max(1, maxSge));
        pd.children.add("shared receive queues");
        if (domain != null) {
            domain.children.add("shared receive queues");
            cq.children.add("shared receive queues");
        }
        pd.softContext().living.add(this);
    }

    private ReceiveRing newRing(int maxWr, int maxSge) {
        return strict == null ? new ReceiveRing(maxWr, maxSge) : strict.ring(maxWr, maxSge);
    }

    /** Returns the rules of a strict context; null otherwise. */
    StrictReceivePosts strict() {
        return strict;
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public int pdNumber() {
        return pd.number();
    }

    @Override
    public ScatterGather data() {
        return data;
    }

    @Override
    public boolean isOf(int domainNumber) {
        return domain != null && domain.number() == domainNumber;
    }

    boolean isXrc() {
        return domain != null;
    }

    @Override
    public SoftCompletionQueue cq() {
        return cq;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public Resource resource() {
        Resource resource = Resource.of(ResourceKind.SRQ).with("srqn", number).with("type", isXrc() ? "XRC" : "BASIC")
            .with("pdn", pd.number());
        return isXrc() ? resource.with("cqn", cq.number()) : resource;
    }

    @Override
    public boolean isClosed() {
        return closed.get();
    }

    int maxElements() {
        return ring.maxElements();
    }

    @Override
    public SrqAttributes query() {
        requireOpen("query_srq");
        return underOwner(() -> new SrqAttributes(ring.slots(), ring.maxElements(), limit));
    }

    @Override
    public void postReceive(ReceiveRequest request) {
        postLock.lock();
        try {
            if (closed.get()) {
                throw refuse("post_srq_recv", Errno.EINVAL, "it is closed");
            }
            if (request.elements() > ring.maxElements()) {
                throw refuse("post_srq_recv", Errno.EINVAL, request.elements() + " elements, max_sge is " + ring.maxElements());
            }
            if (ring.isFull()) {
                throw refuse("post_srq_recv", Errno.ENOMEM, "it holds " + ring.slots() + " receives; poll some, or resize it");
            }
            ring.write(request);
            ring.publish();
        } finally {
            postLock.unlock();
        }
    }

    /** Takes receives from a program outside this process; {@link #postReceive} is not called. With the owner's lock held. */
    public void takeFrom(PostedReceives posted) {
        outside = posted;
    }

    @Override
    public boolean moveOldestTo(ReceiveRing taken) {
        if (outside == null ? ring.head() == ring.tail() : !outside.moveOldestTo(taken)) {
            return false;
        }
        if (outside == null) {
            ring.moveOldestTo(taken);
        }
        if (limit > 0 && (outside == null ? ring.tail() - ring.head() : outside.size()) < limit) {
            limit = 0;
            pd.softContext().raise(AsyncEventType.SRQ_LIMIT_REACHED, this, asyncEvents);
        }
        return true;
    }

    @Override
    public void modifyLimit(int newLimit) {
        underOwner(() -> {
            requireOpen("modify_srq");
            if (newLimit < 0 || newLimit > ring.slots()) {
                throw refuse("modify_srq", Errno.EINVAL, "limit " + newLimit + " is not in 0.." + ring.slots());
            }
            limit = newLimit;
            return limit;
        });
    }

    @Override
    public void resize(int maxWr) {
        underOwner(() -> {
            postLock.lock();
            try {
                requireOpen("modify_srq");
                long posted = ring.tail() - ring.head();
                if (maxWr < 1 || maxWr > maxWrOfDevice) {
                    throw refuse("modify_srq", Errno.EINVAL, "max_wr " + maxWr + " is not in 1.." + maxWrOfDevice);
                }
                ReceiveRing other = newRing(maxWr, ring.maxElements());
                if (other.slots() < posted || other.slots() < limit) {
                    throw refuse("modify_srq", Errno.EINVAL, "max_wr " + maxWr + " is less than the " + posted
                        + " receives posted now or the armed limit " + limit);
                }
                while (ring.head() != ring.tail()) {
                    ring.moveOldestTo(other);
                }
                ring = other;
                return other;
            } finally {
                postLock.unlock();
            }
        });
    }

    private void requireOpen(String verb) {
        if (closed.get()) {
            throw refuse(verb, Errno.EINVAL, "it is closed");
        }
    }

    private VerbsException refuse(String verb, Errno errno, String why) {
        return new VerbsException(errno, verb, "srq " + number + ": " + why);
    }

    private <T> T underOwner(Supplier<T> action) {
        ReentrantLock owner = pd.softContext().agent().lock();
        owner.lock();
        try {
            return action.get();
        } finally {
            owner.unlock();
        }
    }

    @Override
    public void close() {
        children.refuseIfAny("destroy_srq");
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        underOwner(() -> {
            pd.softContext().leave(this);
            return null;
        });
        pd.softContext().settleEvents(this, asyncEvents);
        pd.children.remove("shared receive queues");
        pd.softContext().living.remove(this);
        if (domain != null) {
            cq.children.remove("shared receive queues");
            domain.children.remove("shared receive queues");
        }
    }

    @Override
    public String toString() {
        return "srq " + number;
    }
}
