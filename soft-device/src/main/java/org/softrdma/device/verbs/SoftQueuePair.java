// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.device.memory.Region;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.device.queue.OwnReceives;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.device.queue.SharedReceives;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.verbs.AccessFlags;
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
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WrOpcode;

/**
 * The application's side of a queue pair: posting into the rings, limits, and the events it may raise. The transport adds the protocol
 * machine that works the rings off.
 */
public abstract class SoftQueuePair implements QueuePair, WorkQueues, LiveObjects.Shown {
    private final Dependents children = new Dependents();
    private static final QpInitAttributes TARGET =
        new QpInitAttributes(QpType.XRC_RECV, null, null, null, new QpCapabilities(0, 0, 0, 0, 0), false);

    private final SoftContext context;
    /** Null of an XRC target. */
    private final SoftProtectionDomain pd;
    private final QpInitAttributes init;
    /** Who must not close before this queue pair. */
    private final List<Dependents> parents = new ArrayList<>();
    private final SoftCompletionQueue sendCq;
    private final SoftCompletionQueue recvCq;
    private final SendRing sends;
    private final SoftSharedReceiveQueue srq;
    /** Null if receives come from {@link #srq} or another one. Nothing is ever posted to an XRC initiator's. */
    private final ReceiveRing ownReceives;
    private final SharedReceives sharedReceives;
    private final ReceiveSource receives;
    private final QpCapabilities granted;
    private final ReentrantLock sendLock = new ReentrantLock();
    /** The holder of {@link #sendLock} is in a batch. */
    private boolean inBatch;
    private final ReentrantLock receiveLock = new ReentrantLock();
    private final EventAcks asyncEvents = new EventAcks();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param init not of an XRC target */
    protected SoftQueuePair(SoftProtectionDomain pd, QpInitAttributes init) {
        this.pd = pd;
        this.init = init;
        context = pd.softContext();
        boolean initiates = init.type() == QpType.XRC_SEND;
        sendCq = own("send_cq", init.sendCq());
        recvCq = initiates ? null : own("recv_cq", init.recvCq());
        QpCapabilities cap = init.cap();
        sends = new SendRing(cap.maxSendWr(), Math.max(1, cap.maxSendSge()), cap.maxInlineData());
        srq = shared(init.srq());
        boolean receivesItself = srq == null && !initiates;
        if (srq == null) {
            ownReceives = initiates ? new ReceiveRing(1, 1) : new ReceiveRing(cap.maxRecvWr(), Math.max(1, cap.maxRecvSge()));
            sharedReceives = null;
            // Elements of receives name regions, and regions open to all queue pairs of their protection domain.
            receives = new OwnReceives(ownReceives, new ScatterGather(context.memory(), pd.number(), 0));
        } else {
            ownReceives = null;
            sharedReceives = new SharedReceives(srq.maxElements());
            sharedReceives.aim(srq);
            receives = sharedReceives;
        }
        granted = new QpCapabilities(sends.capacity(), receivesItself ? ownReceives.capacity() : 0, sends.maxElements(),
            receivesItself ? ownReceives.maxElements() : 0, sends.maxInline());
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

    /** An XRC target. */
    protected SoftQueuePair(SoftXrcDomain domain) {
        pd = null;
        init = TARGET;
        context = domain.softContext();
        sendCq = null;
        recvCq = null;
        sends = new SendRing(1, 1, 0);
        srq = null;
        ownReceives = null;
        sharedReceives = new SharedReceives(Math.max(1, context.queryDevice().maxSrqSge()));
        receives = sharedReceives;
        granted = TARGET.cap();
        parents.add(domain.children);
        parents.forEach(parent -> parent.add("queue pairs"));
    }

    private SoftSharedReceiveQueue shared(SharedReceiveQueue queue) {
        if (queue == null) {
            return null;
        }
        if (type() == QpType.XRC_SEND) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "an XRC_SEND queue pair receives nothing, and so needs no srq");
        }
        if (!(queue instanceof SoftSharedReceiveQueue soft) || queue.pd().context() != context) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "srq belongs to another context");
        }
        if (soft.isXrc()) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "srq is an XRC queue; messages get there through XrcDomain.createTarget()");
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

    /** Whether a work request of this opcode can be posted here. */
    protected abstract boolean supports(SendRequest request);

    /**
     * There is work in a ring: called after every post, on the poster's thread, without locks.
     *
     * @param wasIdle nothing else is in the send queue: worth sending at once
     */
    protected abstract void doorbell(boolean wasIdle);

    /** Attaches it to a group, with the owner's lock held. @return false if it is attached already. Not for transports without datagrams */
    protected boolean attach(Gid group) {
        throw VerbsException.unsupported("attach_mcast");
    }

    /** Undoes {@link #attach}, with the owner's lock held. @return false if it is not attached */
    protected boolean detach(Gid group) {
        throw VerbsException.unsupported("detach_mcast");
    }

    /** Takes the queue pair out of the device; called once, with the owner's lock held. */
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
    public final SoftCompletionQueue sendCq() {
        return sendCq;
    }

    @Override
    public final SoftCompletionQueue recvCq() {
        return recvCq;
    }

    @Override
    public final SendRing sends() {
        return sends;
    }

    @Override
    public final ReceiveSource receives() {
        return receives;
    }

    /** Returns {@link #receives} if they are taken from shared queues, else null; an XRC target's are not aimed at any queue yet. */
    public final SharedReceives sharedReceives() {
        return sharedReceives;
    }

    @Override
    public final boolean sharesReceives() {
        return srq != null;
    }

    /** The receive queue, or null if receives come from a shared one. */
    final ReceiveRing ownReceives() {
        return ownReceives;
    }

    @Override
    public final void raise(AsyncEventType type) {
        context.raise(type, this, asyncEvents);
    }

    /** Whether {@link #close} was called. */
    protected final boolean isClosed() {
        return closed.get();
    }

    @Override
    public final void postSend(SendRequest request) {
        check(request);
        post("post_send", request);
    }

    /** What does not depend on what is posted already. */
    private void check(SendRequest request) {
        requireSending("post_send");
        if (!supports(request)) {
            throw refuse("post_send", Errno.EINVAL, request.opcode() + " is not an operation of " + type() + " on this device");
        }
        if (type() == QpType.XRC_SEND && request.remoteSrqn() >>> 24 != 0) {
            throw refuse("post_send", Errno.EINVAL,
                "remote_srqn 0x" + Integer.toHexString(request.remoteSrqn()) + " has more than 24 bits");
        }
        if (request.opcode() == WrOpcode.BIND_MW && context.memory().isTypeOne(request.rkey())) {
            throw refuse("post_send", Errno.EINVAL,
                "rkey 0x" + Integer.toHexString(request.rkey()) + " is of a type 1 window; those are bound with bind()");
        }
    }

    private void requireSending(String verb) {
        QpState now = state();
        if (now.compareTo(QpState.RTS) < 0) {
            throw refuse(verb, Errno.EINVAL, "a queue pair in " + now + " takes no sends; bring it to RTS first");
        }
    }

    private void post(String verb, SendRequest request) {
        boolean wasIdle;
        sendLock.lock();
        try {
            requireNoBatch(verb);
            wasIdle = sends.isEmpty();
            write(verb, request);
            sends.publish();
        } finally {
            sendLock.unlock();
        }
        doorbell(wasIdle);
    }

    /** Writes the record that comes next; with the lock of the send queue held. */
    private void write(String verb, SendRequest request) {
        if (request.elements() > granted.maxSendSge()) {
            throw refuse(verb, Errno.EINVAL, request.elements() + " elements, max_send_sge is " + granted.maxSendSge());
        }
        SoftAddressHandle to = type() == QpType.UD ? checkDestination(request) : null;
        if (sends.isFull()) {
            throw refuse(verb, Errno.ENOMEM,
                "the send queue holds " + sends.capacity() + " requests; poll completions of signaled ones first");
        }
        sends.write(request);
        if (to != null) {
            sends.setDestination(to.destination(), request.remoteQpn(), request.remoteQkey());
        }
        if ((request.flags() & SendFlags.INLINE) != 0) {
            copyInline(request);
        }
    }

    private SoftAddressHandle checkDestination(SendRequest request) {
        if (request.addressHandle() == null) {
            throw refuse("post_send", Errno.EINVAL, "a datagram needs a destination: SendRequest.to(handle, qpn, qkey)");
        }
        if (!(request.addressHandle() instanceof SoftAddressHandle handle) || !pd.sharesKeysWith(handle.pd())) {
            throw refuse("post_send", Errno.EINVAL, "the address handle belongs to another protection domain");
        }
        if (handle.isClosed()) {
            throw refuse("post_send", Errno.EINVAL, "the address handle is closed");
        }
        if (request.remoteQpn() >>> 24 != 0) {
            throw refuse("post_send", Errno.EINVAL, "remote_qpn 0x" + Integer.toHexString(request.remoteQpn()) + " has more than 24 bits");
        }
        return handle;
    }

    // ---- batches ----

    @Override
    public final SendBatch sendBatch(int operations) {
        SendRequest probe = new SendRequest();
        int left = operations;
        for (WrOpcode opcode : WrOpcode.values()) {
            if ((operations & SendOps.of(opcode)) != 0 && supports(probe.begin(opcode))) {
                left &= ~SendOps.of(opcode);
            }
        }
        if (left != 0) {
            throw refuse("create_qp_ex", Errno.EOPNOTSUPP, "operations 0x" + Integer.toHexString(left) + " are not those of " + type()
                + " on this device");
        }
        return new SoftSendBatch(this, operations);
    }

    /** Keeps other posters out until {@link #endBatch}. */
    final void beginBatch() {
        sendLock.lock();
        try {
            requireNoBatch("wr_start");
        } catch (VerbsException nested) {
            sendLock.unlock();
            throw nested;
        }
        inBatch = true;
    }

    private void requireNoBatch(String verb) {
        if (inBatch) {
            throw refuse(verb, Errno.EINVAL, "this thread is in a batch; complete or abort it first");
        }
    }

    final void stage(SendRequest request) {
        check(request);
        write("post_send", request);
        sends.stage();
    }

    /** @param post false drops what was staged */
    final void endBatch(boolean post) {
        boolean wasIdle = sends.isEmpty();
        if (post) {
            sends.publishStaged();
        } else {
            sends.discardStaged();
        }
        inBatch = false;
        sendLock.unlock();
        if (post) {
            doorbell(wasIdle);
        }
    }

    @Override
    public final void bind(MemoryWindow window, long wrId, MemoryRegion region, long address, long length, int access, int sendFlags) {
        requireSending("bind_mw");
        if (!(window instanceof SoftMemoryWindow own) || window.type() != MemoryWindow.Type.TYPE_1 || !pd.sharesKeysWith(window.pd())) {
            throw refuse("bind_mw", Errno.EINVAL, "the window must be of type 1 and of the queue pair's protection domain; type 2 is bound "
                + "by SendRequest.bindWindow");
        }
        if (length != 0 && (region == null || !pd.sharesKeysWith(region.pd()))) {
            throw refuse("bind_mw", Errno.EINVAL, region == null ? "a window of " + length + " bytes needs a region"
                : "the region is of another protection domain");
        }
        if ((access & ~AccessFlags.REMOTE_ANY) != 0) {
            throw refuse("bind_mw", Errno.EINVAL, "access 0x" + Integer.toHexString(access) + " has other bits than REMOTE_*");
        }
        SendRequest request = new SendRequest();
        if (!supports(request.begin(WrOpcode.BIND_MW))) {
            throw refuse("bind_mw", Errno.EINVAL, "BIND_MW is not an operation of " + type() + " on this device");
        }
        synchronized (own) {
            int key = MemoryWindow.nextRkey(own.rkey());
            post("bind_mw", request.bindWindow(key, length == 0 ? 0 : region.lkey(), address, length, access).wrId(wrId)
                .flags(sendFlags & ~SendFlags.INLINE));
            own.rkey(key);
        }
    }

    private void copyInline(SendRequest request) {
        switch (request.opcode()) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_WRITE -> { }
            default -> throw refuse("post_send", Errno.EINVAL, "INLINE with " + request.opcode() + ": only sends and writes carry data");
        }
        long length = 0;
        for (int i = 0; i < request.elements(); i++) {
            length += Integer.toUnsignedLong(request.length(i));
        }
        if (length > granted.maxInlineData()) {
            throw refuse("post_send", Errno.EINVAL, length + " bytes inline, max_inline_data is " + granted.maxInlineData());
        }
        long to = sends.inlineOffset(sends.next());
        for (int i = 0; i < request.elements(); i++) {
            MemorySegment data = request.inlineData(i);
            int bytes = request.length(i);
            if (data != null) {
                MemorySegment.copy(data, 0, sends.memory(), to, bytes);
            } else if (bytes > 0) {
                Region region = context.memory().lookup(request.lkey(i));
                if (region == null || !region.covers(request.address(i), bytes)
                    || !region.copyOut(request.address(i), sends.memory(), to, bytes)) {
                    throw refuse("post_send", Errno.EINVAL, "inline element " + i + " names no registered memory (address 0x"
                        + Long.toHexString(request.address(i)) + ", lkey 0x" + Integer.toHexString(request.lkey(i))
                        + "); use inlineData(MemorySegment) for memory that is not registered");
                }
            }
            to += bytes;
        }
        sends.setInlineLength((int) length);
    }

    @Override
    public final void postReceive(ReceiveRequest request) {
        if (state() == QpState.RESET) {
            throw refuse("post_recv", Errno.EINVAL, "a queue pair in RESET takes no receives; bring it to INIT first");
        }
        if (srq != null) {
            throw refuse("post_recv", Errno.EINVAL, "its receives come from srq " + srq.number() + "; post them there");
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
                throw refuse("post_recv", Errno.ENOMEM, "the receive queue holds " + ownReceives.capacity() + " requests");
            }
            ownReceives.write(request);
            ownReceives.publish();
        } finally {
            receiveLock.unlock();
        }
        if (state() == QpState.ERR) {
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
        if (closed.get()) {
            throw refuse(verb, Errno.EINVAL, "the queue pair is closed");
        }
        if (type() != QpType.UD) {
            throw refuse(verb, Errno.EINVAL, "only UD queue pairs take part in multicast, this one is " + type());
        }
        if (!group.isMulticast()) {
            throw refuse(verb, Errno.EINVAL, group + " is not a multicast group");
        }
    }

    final VerbsException refuse(String verb, Errno errno, String why) {
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
        context.settleEvents(this, asyncEvents);
        disown();
    }

    /** As it is now; takes the owner's lock. */
    @Override
    public final Resource resource() {
        QpAttributes now = query();
        boolean connected = type() == QpType.RC || type() == QpType.UC;
        Resource resource = Resource.of(ResourceKind.QP).with("lqpn", qpNum());
        if (connected) {
            resource = resource.with("rqpn", now.destQpn());
        }
        resource = resource.with("type", type().text()).with("state", state().text());
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

    /** The parents need not wait for this queue pair any more: it is closed, or was never made. */
    protected final void disown() {
        context.living.remove(this);
        parents.reversed().forEach(parent -> parent.remove("queue pairs"));
    }

    @Override
    public String toString() {
        return init.type() + " qp 0x" + Integer.toHexString(qpNum()) + ", " + state();
    }
}
