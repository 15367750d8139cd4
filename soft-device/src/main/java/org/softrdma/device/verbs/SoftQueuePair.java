// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.OwnReceives;
import org.softrdma.device.queue.PostedReceives;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.device.queue.SharedReceives;
import org.softrdma.device.strict.StrictContext;
import org.softrdma.device.strict.StrictQueuePair;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.provider.EventAcks;
import org.softrdma.verbs.reason.Failure;

/**
 * The application's side of a queue pair: its queues, limits and asynchronous events. {@link SendPosting} writes the send queue. The
 * transport adds the protocol machine that executes the posted requests.
 */
public abstract class SoftQueuePair implements QueuePair, WorkQueues, LiveObjects.Shown {
    private final Dependents children = new Dependents();
    private static final QpInitAttributes TARGET =
        new QpInitAttributes(QpType.XRC_RECV, null, null, null, new QpCapabilities(0, 0, 0, 0, 0), false);

    private final SoftContext context;
    /** Null for an XRC target. */
    private final SoftProtectionDomain pd;
    private final QpInitAttributes init;
    /** Dependents of the objects that must stay open while this queue pair is. */
    private final List<Dependents> parents = new ArrayList<>();
    private final SoftCompletionQueue sendCq;
    private final SoftCompletionQueue recvCq;
    private final SendRing sends;
    /** Null unless the context is strict. */
    private final StrictQueuePair strict;
    private final CompletionSink sendSink;
    private final SoftSharedReceiveQueue srq;
    /** Null if receives are taken from shared queues. Nothing is ever posted to the ring of an XRC initiator. */
    private final ReceiveRing ownReceives;
    /** Reads {@link #ownReceives}; null with it. */
    private final OwnReceives ownSource;
    /** Null for none. */
    private Runnable errorObserver;
    private final SharedReceives sharedReceives;
    private final ReceiveSource receives;
    private final QpCapabilities granted;
    private final SendPosting posting;
    private final ReentrantLock receiveLock = new ReentrantLock();
    private final EventAcks asyncEvents = new EventAcks();
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Creates a queue pair of a protection domain.
     *
     * @param init any type but XRC target
     */
    protected SoftQueuePair(SoftProtectionDomain pd, QpInitAttributes init) {
        this.pd = pd;
        this.init = init;
        context = pd.softContext();
        boolean initiates = init.type() == QpType.XRC_SEND;
        sendCq = own("send_cq", init.sendCq());
        recvCq = initiates ? null : own("recv_cq", init.recvCq());
        QpCapabilities cap = init.cap();
        srq = shared(init.srq());
        strict = context.strict() == null ? null : rules(context.strict());
        sends = strict == null ? new SendRing(cap.maxSendWr(), Math.max(1, cap.maxSendSge()), cap.maxInlineData()) : strict.sends();
        sendSink = strict == null ? sendCq.sink() : strict.watch(sendCq.sink());
        boolean receivesItself = srq == null && !initiates;
        if (srq == null) {
            ownReceives = initiates ? new ReceiveRing(1, 1) : newReceives(cap.maxRecvWr(), Math.max(1, cap.maxRecvSge()));
            sharedReceives = null;
            // The elements of receives name regions, which all queue pairs of their protection domain may use.
            ownSource = new OwnReceives(ownReceives, new ScatterGather(context.memory(), pd.number(), 0));
            receives = watched(ownSource);
        } else {
            ownReceives = null;
            ownSource = null;
            sharedReceives = new SharedReceives(srq.maxElements());
            sharedReceives.aim(srq);
            receives = watched(sharedReceives);
        }
        granted = new QpCapabilities(sends.slots(), receivesItself ? ownReceives.slots() : 0, sends.maxElements(),
            receivesItself ? ownReceives.maxElements() : 0, sends.maxInline());
        posting = new SendPosting(this, sends, pd, context.memory());
        parents.add(pd.children);
        parents.add(sendCq.children);
        if (recvCq != null) {
            parents.add(recvCq.children);
        }
        if (srq != null) {
            parents.add(srq.children);
        }
        parents.forEach(parent -> parent.add("queue pairs"));
    }

    /** Creates an XRC target. */
    protected SoftQueuePair(SoftXrcDomain domain) {
        pd = null;
        init = TARGET;
        context = domain.softContext();
        sendCq = null;
        recvCq = null;
        sends = new SendRing(1, 1, 0);
        strict = null;
        sendSink = null;
        srq = null;
        ownReceives = null;
        ownSource = null;
        sharedReceives = new SharedReceives(Math.max(1, context.queryDevice().maxSrqSge()));
        receives = sharedReceives;
        granted = TARGET.cap();
        posting = new SendPosting(this, sends, null, context.memory());
        parents.add(domain.children);
        parents.forEach(parent -> parent.add("queue pairs"));
    }

    private StrictQueuePair rules(StrictContext context) {
        return new StrictQueuePair(context, this::qpNum, init, pd.number(), sendCq.strict(), recvCq == null ? null : recvCq.strict(),
            srq == null ? null : srq.strict());
    }

    private ReceiveRing newReceives(int maxWr, int maxSge) {
        return strict == null ? new ReceiveRing(maxWr, maxSge) : strict.receiveRing(maxWr, maxSge);
    }

    private ReceiveSource watched(ReceiveSource source) {
        return strict == null ? source : strict.watch(source);
    }

    private SoftSharedReceiveQueue shared(SharedReceiveQueue queue) {
        if (queue == null) {
            return null;
        }
        if (type() == QpType.XRC_SEND) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "an XRC_SEND queue pair receives nothing; create it without srq");
        }
        if (!(queue instanceof SoftSharedReceiveQueue soft) || queue.pd().context() != context) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "srq belongs to another context");
        }
        if (soft.isXrc()) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "srq is an XRC queue; reach it through XrcDomain.createTarget()");
        }
        if (soft.isClosed()) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "srq is closed");
        }
        return soft;
    }

    private SoftCompletionQueue own(String role, Object queue) {
        if (queue instanceof SoftCompletionQueue soft && soft.rdmaContext() == context) {
            if (soft.isClosed()) {
                throw new VerbsException(Errno.EINVAL, "create_qp", role + " is closed");
            }
            return soft;
        }
        throw new VerbsException(Errno.EINVAL, "create_qp", role + (queue == null ? " is missing" : " belongs to another context"));
    }

    /** Returns whether a work request of this opcode can be posted here. */
    protected abstract boolean supports(SendRequest request);

    /**
     * Wakes the device: there is work in a ring. Called after every post, on the poster's thread, without locks.
     *
     * @param wasIdle whether the send queue was empty before, so that sending at once is worthwhile
     */
    protected abstract void doorbell(boolean wasIdle);

    /**
     * Attaches the queue pair to a group, with the owner's lock held. Transports without datagrams keep this refusal.
     *
     * @return false if it is attached already
     */
    protected boolean attach(Gid group) {
        throw VerbsException.unsupported("attach_mcast");
    }

    /**
     * Detaches the queue pair from a group, with the owner's lock held.
     *
     * @return false if it is not attached
     */
    protected boolean detach(Gid group) {
        throw VerbsException.unsupported("detach_mcast");
    }

    /** Removes the queue pair from the device. Called once, with the owner's lock held. */
    protected abstract void destroy();

    @Override
    public final ProtectionDomain pd() {
        return pd;
    }

    @Override
    public final int pdNumber() {
        return pd == null ? 0 : pd.number();
    }

    @Override
    public final QpType type() {
        return init.type();
    }

    @Override
    public final QpCapabilities capabilities() {
        return granted;
    }

    @Override
    public final boolean signalAll() {
        return init.signalAll();
    }

    @Override
    public final CompletionSink sendCq() {
        return sendSink;
    }

    @Override
    public final CompletionSink recvCq() {
        return recvCq == null ? null : recvCq.sink();
    }

    @Override
    public final SendRing sends() {
        return sends;
    }

    @Override
    public final ReceiveSource receives() {
        return receives;
    }

    /**
     * Takes receives from a program outside this process; {@link #postReceive} is not called. Must be called in RESET, with the owner's
     * lock held, and not for a queue pair with shared receives.
     */
    public final void takeReceivesFrom(PostedReceives posted) {
        ownSource.takeFrom(posted);
    }

    /**
     * Has the entry into ERR reported, for the one who posts receives of a program outside this process. Must be called in RESET, with the
     * owner's lock held.
     *
     * @param observer called with the owner's lock held, after everything posted was flushed
     */
    public final void observeError(Runnable observer) {
        errorObserver = observer;
    }

    @Override
    public final void onFailure(int qpn, Failure why) {
        context.failures().add(qpn, why);
    }

    @Override
    public final void onError(Failure why) {
        context.onError(qpNum(), why);
        if (errorObserver != null) {
            errorObserver.run();
            context.agent().doorbell();
        }
    }

    /**
     * Flushes receives that a program outside this process has posted in ERR; it rings for sends only. With the owner's lock held.
     *
     * @return false if the queue pair is not in ERR
     */
    public final boolean flushLateReceives() {
        if (current() != QpState.ERR) {
            return false;
        }
        if (receives.toFlush() > 0) {
            doorbell(false);
        }
        return true;
    }

    /** Returns {@link #receives} if they are taken from shared queues, else null; for an XRC target, no queue is chosen yet. */
    public final SharedReceives sharedReceives() {
        return sharedReceives;
    }

    @Override
    public final boolean sharesReceives() {
        return srq != null;
    }

    /** Returns the receive queue, or null if receives are taken from a shared one. */
    final ReceiveRing ownReceives() {
        return ownReceives;
    }

    @Override
    public final void raise(AsyncEventType type) {
        context.raise(type, this, asyncEvents);
    }

    /** Returns whether {@link #close} was called. */
    protected final boolean isClosed() {
        return closed.get();
    }

    /**
     * Requires that the queue pair is open. Calls on the data path need no such check: they refuse what does not fit the state, which is
     * RESET after {@link #close}, and {@link #refuse} gives the reason.
     *
     * @throws VerbsException EINVAL
     */
    final void requireOpen(String verb) {
        if (closed.get()) {
            throw refuse(verb, Errno.EINVAL, "");
        }
    }

    /** Returns the state of the protocol machine; RESET after {@link #destroy}, except of an XRC target that others have open. */
    protected abstract QpState current();

    /** Returns the attributes of the protocol machine; takes the owner's lock. */
    protected abstract QpAttributes attributes();

    @Override
    public final QpState state() {
        QpState now = current();
        if (now == QpState.RESET || pd == null) {
            requireOpen("query_qp");
        }
        return now;
    }

    @Override
    public final QpAttributes query() {
        requireOpen("query_qp");
        return attributes();
    }

    @Override
    public final void postSend(SendRequest request) {
        posting.post(request);
    }

    @Override
    public final void postSend(List<SendRequest> requests) {
        posting.post(requests);
    }

    @Override
    public final SendBatch sendBatch(int operations) {
        return posting.sendBatch(operations);
    }

    @Override
    public final void bind(MemoryWindow window, long wrId, MemoryRegion region, long address, long length, int access, int sendFlags) {
        posting.bind(window, wrId, region, address, length, access, sendFlags);
    }

    @Override
    public final void postReceive(ReceiveRequest request) {
        if (current() == QpState.RESET) {
            throw refuse("post_recv", Errno.EINVAL, "a queue pair in RESET takes no receives; bring it to INIT first");
        }
        if (srq != null) {
            throw refuse("post_recv", Errno.EINVAL, "its receives are taken from srq " + srq.number() + "; post to that queue");
        }
        if (type() == QpType.XRC_SEND || type() == QpType.XRC_RECV) {
            throw refuse("post_recv", Errno.EINVAL, type() + " has no receive queue; receives are posted to XrcDomain.createSrq()'s");
        }
        if (request.elements() > granted.maxRecvSge()) {
            throw refuse("post_recv", Errno.EINVAL, request.elements() + " elements, max_recv_sge is " + granted.maxRecvSge());
        }
        receiveLock.lock();
        try {
            if (ownReceives.isFull()) {
                throw refuse("post_recv", Errno.ENOMEM, "the receive queue holds " + ownReceives.slots() + " requests");
            }
            ownReceives.write(request);
            ownReceives.publish();
        } finally {
            receiveLock.unlock();
        }
        if (current() == QpState.ERR) {
            doorbell(false);
        }
    }

    @Override
    public final void attachMulticast(Gid group) {
        requireGroup("attach_mcast", group);
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            if (attach(group)) {
                children.add("multicast groups");
            }
        } finally {
            owner.unlock();
        }
    }

    @Override
    public final void detachMulticast(Gid group) {
        requireGroup("detach_mcast", group);
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            if (!detach(group)) {
                throw refuse("detach_mcast", Errno.EINVAL, "it is not attached to " + group);
            }
            children.remove("multicast groups");
        } finally {
            owner.unlock();
        }
    }

    private void requireGroup(String verb, Gid group) {
        requireOpen(verb);
        if (type() != QpType.UD) {
            throw refuse(verb, Errno.EINVAL, "only UD queue pairs take part in multicast, this one is " + type());
        }
        if (!group.isMulticast()) {
            throw refuse(verb, Errno.EINVAL, group + " is not a multicast group");
        }
    }

    /** Creates the exception for a refused call; on a closed queue pair, that is the reason. */
    final VerbsException refuse(String verb, Errno errno, String why) {
        if (closed.get()) {
            return new VerbsException(Errno.EINVAL, verb, "qp 0x" + Integer.toHexString(qpNum()) + ": the queue pair is closed");
        }
        return new VerbsException(errno, verb, "qp 0x" + Integer.toHexString(qpNum()) + ": " + why);
    }

    @Override
    public final void close() {
        children.refuseIfAny("destroy_qp");
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            destroy();
        } finally {
            owner.unlock();
        }
        if (strict != null) {
            strict.close(receives.toFlush());
        }
        context.settleEvents(this, asyncEvents);
        disown();
    }

    /** Returns the current state for inspection; takes the owner's lock. */
    @Override
    public final Resource resource() {
        QpAttributes now = attributes();
        boolean connected = type() == QpType.RC || type() == QpType.UC;
        Resource resource = Resource.of(ResourceKind.QP).with("lqpn", qpNum());
        if (connected) {
            resource = resource.with("rqpn", now.destQpn());
        }
        resource = resource.with("type", type().text()).with("state", current().text());
        if (connected) {
            resource = resource.with("rq-psn", now.rqPsn());
        }
        resource = resource.with("sq-psn", now.sqPsn());
        if (type() != QpType.UD) {
            resource = resource.with("path-mig-state", "MIGRATED");
        }
        if (srq != null) {
            resource = resource.with("srqn", srq.number());
        }
        return pd == null ? resource : resource.with("pdn", pd.number());
    }

    /** Removes the queue pair from the dependents of its parents: it is closed, or was never completely created. */
    protected final void disown() {
        context.living.remove(this);
        parents.reversed().forEach(parent -> parent.remove("queue pairs"));
    }

    boolean completesInto(SoftCompletionQueue queue) {
        return sendCq == queue || recvCq == queue;
    }

    /** Describes the posted requests that have not completed and whose completions go to a queue of this queue pair. */
    String outstanding(SoftCompletionQueue queue) {
        List<String> parts = new ArrayList<>();
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            if (sendCq == queue) {
                parts.add(count(sends.tail() - sends.head(), "send"));
            }
            if (recvCq == queue) {
                parts.add(ownReceives == null ? "receives of a shared queue" : count(ownReceives.tail() - ownReceives.head(), "receive"));
            }
        } finally {
            owner.unlock();
        }
        return String.join(" and ", parts) + " outstanding";
    }

    private static String count(long requests, String kind) {
        return (requests == 0 ? "no" : Long.toString(requests)) + " " + kind + (requests == 1 ? "" : "s");
    }

    @Override
    public String toString() {
        return init.type() + " qp 0x" + Integer.toHexString(qpNum()) + ", " + (closed.get() ? "closed" : current());
    }
}
