// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.softrdma.device.agent.DeviceAgent;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.PinnedMemory;
import org.softrdma.device.queue.Destination;
import org.softrdma.device.queue.OutsideCompletions;
import org.softrdma.device.strict.StrictContext;
import org.softrdma.host.inspect.Owner;
import org.softrdma.recording.FlightRecorder;
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
import org.softrdma.verbs.provider.EventAcks;
import org.softrdma.verbs.reason.Failure;

/** Base of the contexts of all soft devices: protection domains, completion queues, channels and asynchronous events. */
public abstract class SoftContext implements Context, FlightRecorder.Recorded {
    /** Maximum number of undelivered asynchronous events. Beyond it the oldest are dropped: a program need not read events at all. */
    static final int MAX_EVENTS = 4096;
    private static final System.Logger LOG = System.getLogger(SoftContext.class.getName());
    private static final AtomicInteger LAST_NUMBER = new AtomicInteger();

    final Dependents children = new Dependents();
    final LiveObjects living = new LiveObjects();

    /** Unique among the contexts of the process. */
    private final int number = LAST_NUMBER.incrementAndGet();
    private final DeviceAgent agent;
    private final MemoryTable memory;
    private volatile PinnedMemory pinned = PinnedMemory.UNLIMITED;
    /** Null unless {@link #makeStrict} was called. */
    private volatile StrictContext strict;
    private volatile Owner owner;
    private final EventQueue<Event> events = new EventQueue<>(Event::delivered, MAX_EVENTS, () -> agent().virtualTime());
    private final RecentFailures failures = new RecentFailures();
    /** Null unless they are requested. */
    private final FailureRecordings recordings = FailureRecordings.requested();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean dropLogged = new AtomicBoolean();
    private volatile boolean removed;
    private volatile Runnable onRemoval;
    /** Takes asynchronous events in place of {@link #events}; null for a program of this process. */
    private volatile Consumer<AsyncEvent> eventsOutside;

    protected SoftContext(DeviceAgent agent, MemoryTable memory) {
        this.agent = agent;
        this.memory = memory;
    }

    int number() {
        return number;
    }

    /** Has reports name a program as the owner of the context and its objects, in place of this process. */
    public final void actFor(Owner program) {
        owner = program;
    }

    /** The program that has the context; null for this process. */
    final Owner owner() {
        return owner;
    }

    /**
     * Keeps, for tests, where each object of the context is created from now on, and the completions with which queues are closed. Costs
     * some microseconds an object, and memory until the context is closed.
     */
    public final void traceObjects() {
        living.trace();
    }

    public final boolean isOpen() {
        return !closed.get();
    }

    /** Returns the objects that were created and not closed, in no order. Parent domains are left out. */
    public final List<OpenObject> openObjects() {
        return living.open();
    }

    /** Returns the completions with which queues were closed; none unless {@link #traceObjects} was called before. */
    public final List<UnpolledCompletions> unpolledAtClose() {
        return living.unpolled();
    }

    /**
     * The agent that owns the device's state.
     *
     * @return the same for all contexts of the device
     */
    public final DeviceAgent agent() {
        return agent;
    }

    public final MemoryTable memory() {
        return memory;
    }

    RecentFailures failures() {
        return failures;
    }

    /** A queue pair has entered ERR by a failure; null if none was noted. With the owner's lock held. */
    void onError(int qpn, Failure why) {
        if (recordings != null && why != null) {
            recordings.record(this, qpn, why);
        }
    }

    /**
     * Creates a queue pair of the transport. The implementation checks the attributes against the device's limits. Called without the
     * owner's lock.
     */
    protected abstract QueuePair newQueuePair(SoftProtectionDomain pd, QpInitAttributes attributes);

    /**
     * Adds a new queue pair to the objects that introspection reports.
     *
     * @return the same queue pair
     */
    final QueuePair shown(QueuePair made) {
        living.add((SoftQueuePair) made);
        return made;
    }

    /**
     * Allocates a number for a protection domain.
     *
     * @return unique among the protection domains of the device
     */
    protected abstract int newPdNumber();

    /**
     * Resolves an address vector for an address handle, and counts the handle. Called with the owner's lock held.
     *
     * @throws VerbsException EOPNOTSUPP from a transport without datagrams
     */
    protected Destination openDestination(AddressVector vector) {
        throw VerbsException.unsupported("create_ah");
    }

    /** Uncounts a destroyed address handle. Called with the owner's lock held. */
    protected void closeDestination(Destination destination) {
    }

    /**
     * Start of the current round of work. Called with the owner's lock held.
     *
     * @return ns on the clock of {@link #rawClockNs}
     */
    protected abstract long roundNs();

    /**
     * Allocates the number of a shared receive queue. Called with the owner's lock held.
     *
     * @return unique among the shared receive queues of the device
     * @throws VerbsException ENOMEM if the device's maximum is reached
     */
    protected abstract int enter(SoftSharedReceiveQueue queue);

    /** Frees the number of a closed shared receive queue. Called with the owner's lock held. */
    protected abstract void leave(SoftSharedReceiveQueue queue);

    /**
     * Opens the XRC domain of a name, or creates it. Called with the owner's lock held.
     *
     * @param name null for a private domain, which cannot be opened a second time
     * @return number of the domain, unique among the XRC domains of the device
     * @throws VerbsException with the same errno values as {@link #openXrcd}
     */
    protected int enterXrcd(String name, boolean create, boolean exclusive) {
        throw VerbsException.unsupported("open_xrcd");
    }

    /** Undoes one {@link #enterXrcd}; the last one destroys the domain. Called with the owner's lock held. */
    protected void leaveXrcd(int number) {
        throw VerbsException.unsupported("close_xrcd");
    }

    /** Creates an XRC target. Called without the owner's lock. */
    protected QueuePair newTarget(SoftXrcDomain domain) {
        throw VerbsException.unsupported("create_qp_ex");
    }

    /**
     * Opens an XRC target of the domain, also one that another context created. Called without the owner's lock.
     *
     * @throws VerbsException EINVAL if the domain has no such target
     */
    protected QueuePair openTarget(SoftXrcDomain domain, int qpNum) {
        throw VerbsException.unsupported("open_qp");
    }

    /**
     * Limit of the memory that may be registered.
     *
     * @return {@link PinnedMemory#UNLIMITED} unless {@link #obey} was told to limit it
     */
    final PinnedMemory pinned() {
        return pinned;
    }

    /**
     * Applies the options of the device's link. Must be called before the first object is made.
     *
     * @param limitedMemory whether registered memory counts against the process's limit of pinned memory
     * @param strictly      whether the program is held to the rules of adapters; it is, too, if {@link StrictContext#isRequested}
     * @throws VerbsException EINVAL, and the context is closed: the process's choice is neither on nor off
     */
    public final void obey(boolean limitedMemory, boolean strictly) {
        if (limitedMemory) {
            pinned = PinnedMemory.ofThisProcess();
        }
        if (isRequested() || strictly) {
            makeStrict();
        }
    }

    private boolean isRequested() {
        try {
            return StrictContext.isRequested();
        } catch (VerbsException neitherOnNorOff) {
            close();
            throw neitherOnNorOff;
        }
    }

    /** Holds the program to the rules of adapters. Must be called before the first object is made. */
    public final void makeStrict() {
        strict = new StrictContext(device().name(), memory);
    }

    /** Returns the rules that the program is held to; null for none. */
    public final StrictContext strict() {
        return strict;
    }

    /**
     * The device's queue pair 1, for management datagrams.
     *
     * @return null if the device has none
     */
    public MadPort madPort() {
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

    @Override
    public FlightRecorder recorder() {
        throw VerbsException.unsupported("record");
    }

    /** Releases the device. Called as the last step of {@link #close}. */
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
        return newCq(cqe, cqContext, channel, compVector, null, null);
    }

    /**
     * Creates a completion queue of a program outside this process.
     *
     * @param outside takes the completions, and announces them to the program
     * @throws VerbsException EINVAL, as {@link #createCq(int, Object, CompletionChannel, int)}
     */
    public final SoftCompletionQueue createCq(int cqe, int compVector, OutsideCompletions outside) {
        return newCq(cqe, null, null, compVector, null, outside);
    }

    @Override
    public final CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector,
                                          ProtectionDomain parentDomain) {
        SoftProtectionDomain parent = own("create_cq", parentDomain);
        if (!parent.isParentDomain()) {
            throw new VerbsException(Errno.EINVAL, "create_cq",
                "the protection domain is no parent domain; completion queues belong to those or to none");
        }
        return newCq(cqe, cqContext, channel, compVector, parent, null);
    }

    private SoftCompletionQueue newCq(int cqe, Object cqContext, CompletionChannel channel, int compVector,
                                      SoftProtectionDomain parentDomain, OutsideCompletions outside) {
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
        return new SoftCompletionQueue(this, cqe, cqContext, (SoftCompletionChannel) channel, parentDomain, outside);
    }

    @Override
    public final AsyncEvent getAsyncEvent(long timeoutNs) {
        return events.take("get_async_event", timeoutNs);
    }

    /** Raises an event of the device or a port. Any thread. */
    public final void raise(AsyncEventType type, int port) {
        put(new Event(type, null, port, null));
    }

    /**
     * Delivers all further asynchronous events to a program outside this process; {@link #getAsyncEvent} returns none.
     *
     * @param listener called by any thread, often with the owner's lock held; must not block
     */
    public final void deliverEventsTo(Consumer<AsyncEvent> listener) {
        eventsOutside = listener;
    }

    private void put(Event event) {
        Consumer<AsyncEvent> listener = eventsOutside;
        if (listener != null) {
            listener.accept(event);
            return;
        }
        if (!events.put(event) && dropLogged.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, device().name() + ": more than " + MAX_EVENTS
                + " undelivered asynchronous events, dropping the oldest from now on; call getAsyncEvent to receive them");
        }
    }

    /**
     * Raises DEVICE_FATAL because the device's link was deleted, and calls the listener of {@code onRemoval}. The device itself works
     * until the context is closed. Any thread that holds no lock.
     */
    public final void removed() {
        raise(AsyncEventType.DEVICE_FATAL, 0);
        removed = true;
        Runnable listener = onRemoval;
        if (listener != null) {
            listener.run();
        }
    }

    /**
     * Sets the only listener of {@code removed}, which is called in addition to the event.
     *
     * @param listener called at once if the device was removed before
     */
    public final void onRemoval(Runnable listener) {
        onRemoval = listener;
        if (removed) {
            listener.run();
        }
    }

    /** Raises an event of an object. Any thread. */
    final void raise(AsyncEventType type, Object element, EventAcks acknowledged) {
        put(new Event(type, element, 0, acknowledged));
    }

    /** Drops the undelivered events of an object that is being destroyed and waits until the delivered ones are acknowledged. */
    final void settleEvents(Object element, EventAcks acknowledged) {
        events.removeIf(event -> event.element == element);
        acknowledged.awaitAll();
    }

    /**
     * Requires that the context is open.
     *
     * @throws VerbsException EINVAL
     */
    protected final void requireOpen(String verb) {
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
            events.close("the context");
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
