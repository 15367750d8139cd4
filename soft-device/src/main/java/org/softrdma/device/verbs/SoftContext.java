// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.device.agent.DeviceAgent;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.PinnedMemory;
import org.softrdma.device.queue.Destination;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MadAgent;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ThreadDomain;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.XrcDomain;

/** What every soft device's context does alike: protection domains, completion queues, channels and asynchronous events. */
public abstract class SoftContext implements Context {
    /** Asynchronous events that wait to be taken; of more, the oldest are forgotten: a program that never asks does not care. */
    static final int MAX_EVENTS = 4096;
    private static final System.Logger LOG = System.getLogger(SoftContext.class.getName());
    private static final AtomicInteger LAST_NUMBER = new AtomicInteger();

    final Dependents children = new Dependents();
    final LiveObjects living = new LiveObjects();

    /** Distinguishes it from every other context of the process. */
    private final int number = LAST_NUMBER.incrementAndGet();
    private final DeviceAgent agent;
    private final MemoryTable memory;
    private volatile PinnedMemory pinned = PinnedMemory.UNLIMITED;
    private final EventQueue<Event> events = new EventQueue<>(Event::delivered, MAX_EVENTS);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean saidForgotten = new AtomicBoolean();
    private volatile boolean removed;
    private volatile Runnable whenRemoved;

    protected SoftContext(DeviceAgent agent, MemoryTable memory) {
        this.agent = agent;
        this.memory = memory;
    }

    int number() {
        return number;
    }

    /** The owner of the device's state. */
    public final DeviceAgent agent() {
        return agent;
    }

    public final MemoryTable memory() {
        return memory;
    }

    /** Creates the transport's queue pair; attributes are checked against the device's limits. Called without the lock. */
    protected abstract QueuePair newQueuePair(SoftProtectionDomain pd, QpInitAttributes attributes);

    /** The queue pair is made: others may see it. */
    final QueuePair shown(QueuePair made) {
        living.add((SoftQueuePair) made);
        return made;
    }

    /** A number no other protection domain of the device has. */
    protected abstract int newPdNumber();

    /** Resolves an address vector for a handle, and counts it; with the owner's lock held. Not for transports without datagrams. */
    protected Destination openDestination(AddressVector vector) {
        throw VerbsException.unsupported("create_ah");
    }

    /** The handle is destroyed; with the owner's lock held. */
    protected void closeDestination(Destination destination) {
    }

    /** When the round of work that is going on began, on {@link #rawClockNs}'s clock; with the owner's lock held. */
    protected abstract long roundNs();

    /** Gives a shared receive queue its number, with the owner's lock held; ENOMEM if the device has as many as it can. */
    protected abstract int enter(SoftSharedReceiveQueue queue);

    /** The number is free again; with the owner's lock held. */
    protected abstract void leave(SoftSharedReceiveQueue queue);

    /**
     * Opens the domain of that name, or makes one, with the owner's lock held.
     *
     * @param name null for one that nobody else can open
     * @return a number no other XRC domain of the device has
     * @throws VerbsException as {@link #openXrcd}
     */
    protected int enterXrcd(String name, boolean create, boolean exclusive) {
        throw VerbsException.unsupported("open_xrcd");
    }

    /** Undoes one {@link #enterXrcd}, with the owner's lock held: the last one ends the domain. */
    protected void leaveXrcd(int number) {
        throw VerbsException.unsupported("close_xrcd");
    }

    /** Creates an XRC target. Called without the lock. */
    protected QueuePair newTarget(SoftXrcDomain domain) {
        throw VerbsException.unsupported("create_qp_ex");
    }

    /** Opens an XRC target of the domain, whoever made it. Called without the lock. @throws VerbsException EINVAL: there is none */
    protected QueuePair openTarget(SoftXrcDomain domain, int qpNum) {
        throw VerbsException.unsupported("open_qp");
    }

    /** How much memory may be registered. */
    final PinnedMemory pinned() {
        return pinned;
    }

    /** From now on memory that is registered counts against what the process may pin. To be called before there is any. */
    public final void limitMemory() {
        pinned = PinnedMemory.ofThisProcess();
    }

    /** The device's queue pair 1, for management datagrams; null: it has none. */
    protected MadPort madPort() {
        return null;
    }

    @Override
    public final MadAgent openMadAgent(int managementClass) {
        requireOpen("open_mad_agent");
        MadPort port = madPort();
        if (port == null) {
            throw VerbsException.unsupported("open_mad_agent");
        }
        return new SoftMadAgent(this, port, managementClass);
    }

    /** The last act of {@link #close}: gives the device back. */
    protected abstract void release();

    @Override
    public final ProtectionDomain allocatePd() {
        requireOpen("alloc_pd");
        return new SoftProtectionDomain(this, newPdNumber());
    }

    @Override
    public final ThreadDomain allocateTd() {
        requireOpen("alloc_td");
        return new SoftThreadDomain(this);
    }

    @Override
    public final ProtectionDomain allocateParentDomain(ProtectionDomain pd, ThreadDomain td) {
        requireOpen("alloc_parent_domain");
        SoftProtectionDomain shared = own("alloc_parent_domain", pd);
        if (shared.isParentDomain()) {
            throw new VerbsException(Errno.EINVAL, "alloc_parent_domain", "it is a parent domain itself; give the one it was made of");
        }
        if (td == null) {
            return new SoftProtectionDomain(shared, null);
        }
        if (!(td instanceof SoftThreadDomain soft) || td.context() != this) {
            throw new VerbsException(Errno.EINVAL, "alloc_parent_domain", "the thread domain belongs to another context");
        }
        soft.requireOpen("alloc_parent_domain");
        return new SoftProtectionDomain(shared, soft);
    }

    private SoftProtectionDomain own(String verb, ProtectionDomain pd) {
        if (!(pd instanceof SoftProtectionDomain soft) || pd.context() != this) {
            throw new VerbsException(Errno.EINVAL, verb,
                "the protection domain " + (pd == null ? "is missing" : "belongs to another context"));
        }
        soft.requireOpen(verb);
        return soft;
    }

    @Override
    public final XrcDomain openXrcd(String name, int flags) {
        requireOpen("open_xrcd");
        boolean create = (flags & XrcDomain.CREATE) != 0;
        if ((flags & ~(XrcDomain.CREATE | XrcDomain.EXCLUSIVE)) != 0) {
            throw new VerbsException(Errno.EINVAL, "open_xrcd", "flags 0x" + Integer.toHexString(flags) + " has other bits than CREATE and "
                + "EXCLUSIVE");
        }
        if (name == null && !create) {
            throw new VerbsException(Errno.EINVAL, "open_xrcd", "a domain without name can only be made; add CREATE");
        }
        agent.lock().lock();
        try {
            return new SoftXrcDomain(this, enterXrcd(name, create, (flags & XrcDomain.EXCLUSIVE) != 0));
        } finally {
            agent.lock().unlock();
        }
    }

    final void leaveXrcd(SoftXrcDomain domain) {
        agent.lock().lock();
        try {
            leaveXrcd(domain.number());
        } finally {
            agent.lock().unlock();
        }
    }

    @Override
    public final CompletionChannel createCompletionChannel() {
        requireOpen("create_comp_channel");
        return new SoftCompletionChannel(this);
    }

    @Override
    public final CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector) {
        return newCq(cqe, cqContext, channel, compVector, null);
    }

    @Override
    public final CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector,
                                          ProtectionDomain parentDomain) {
        SoftProtectionDomain parent = own("create_cq", parentDomain);
        if (!parent.isParentDomain()) {
            throw new VerbsException(Errno.EINVAL, "create_cq",
                "the protection domain is no parent domain; completion queues belong to those or to none");
        }
        return newCq(cqe, cqContext, channel, compVector, parent);
    }

    private CompletionQueue newCq(int cqe, Object cqContext, CompletionChannel channel, int compVector, SoftProtectionDomain parentDomain) {
        requireOpen("create_cq");
        DeviceAttributes limits = queryDevice();
        if (cqe < 1 || cqe > limits.maxCqe()) {
            throw new VerbsException(Errno.EINVAL, "create_cq", "cqe " + cqe + " is not in 1.." + limits.maxCqe());
        }
        if (compVector < 0 || compVector >= limits.numCompVectors()) {
            throw new VerbsException(Errno.EINVAL, "create_cq",
                "comp_vector " + compVector + " is not in 0.." + (limits.numCompVectors() - 1));
        }
        if (channel != null && channel.rdmaContext() != this) {
            throw new VerbsException(Errno.EINVAL, "create_cq", "the completion channel belongs to another context");
        }
        if (channel != null && ((SoftCompletionChannel) channel).isClosed()) {
            throw new VerbsException(Errno.EINVAL, "create_cq", "the completion channel is closed");
        }
        return new SoftCompletionQueue(this, cqe, cqContext, (SoftCompletionChannel) channel, parentDomain);
    }

    @Override
    public final AsyncEvent getAsyncEvent(long timeoutNs) {
        return events.take("get_async_event", timeoutNs);
    }

    /** Raises an event of the device or a port. Any thread. */
    public final void raise(AsyncEventType type, int port) {
        put(new Event(type, null, port, null));
    }

    private void put(Event event) {
        if (!events.put(event) && saidForgotten.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, device().name() + ": more than " + MAX_EVENTS
                + " asynchronous events wait to be taken; the oldest are forgotten from now on. Take them with getAsyncEvent");
        }
    }

    /**
     * The device is taken away from its users: its link was deleted. It goes on for those that do not care, until they close it. Any thread
     * that holds no lock.
     */
    public final void removed() {
        raise(AsyncEventType.DEVICE_FATAL, 0);
        removed = true;
        Runnable told = whenRemoved;
        if (told != null) {
            told.run();
        }
    }

    /** Who is told of {@link #removed}, beside the event: one; at once, if it was removed before. */
    public final void whenRemoved(Runnable told) {
        whenRemoved = told;
        if (removed) {
            told.run();
        }
    }

    /** Raises an event of an object. Any thread. */
    final void raise(AsyncEventType type, Object element, EventAcks acknowledged) {
        put(new Event(type, element, 0, acknowledged));
    }

    /** Forgets the undelivered events of a dying object and waits until the delivered ones are acknowledged. */
    final void settleEvents(Object element, EventAcks acknowledged) {
        events.removeIf(event -> event.element == element);
        acknowledged.awaitAll();
    }

    final void requireOpen(String verb) {
        if (closed.get()) {
            throw new VerbsException(Errno.EINVAL, verb, "the context is closed");
        }
    }

    @Override
    public final void close() {
        if (closed.get()) {
            return;
        }
        children.refuseIfAny("close_device");
        if (closed.compareAndSet(false, true)) {
            release();
        }
    }

    @Override
    public String toString() {
        return "context " + number + " of " + device().name();
    }

    private record Event(AsyncEventType type, Object element, int port, EventAcks acknowledged) implements AsyncEvent {
        void delivered() {
            if (acknowledged != null) {
                acknowledged.deliver();
            }
        }

        @Override
        public String toString() {
            return type + (element != null ? ", " + element : port > 0 ? ", port " + port : "");
        }

        @Override
        public void ack() {
            if (acknowledged != null) {
                acknowledged.ack(1);
            }
        }
    }
}
