// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.softrdma.device.memory.AddressSpace;
import org.softrdma.device.memory.Region;
import org.softrdma.device.strict.StrictContext;
import org.softrdma.device.strict.StrictRegion;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;

/** A protection domain of a soft device: a number that keys and queue pairs must share. A parent domain has the number of another one. */
public final class SoftProtectionDomain implements ProtectionDomain, LiveObjects.Shown {
    final Dependents children = new Dependents();

    private final SoftContext context;
    private final int number;
    /** The domain that a parent domain was made of; null for an ordinary one. */
    private final SoftProtectionDomain shared;
    /** Optional thread domain of a parent domain; null for an ordinary one. */
    private final SoftThreadDomain threadDomain;
    private boolean closed;

    SoftProtectionDomain(SoftContext context, int number) {
        this.context = context;
        this.number = number;
        shared = null;
        threadDomain = null;
        context.children.add("protection domains");
        context.living.add(this);
    }

    /**
     * Creates a parent domain.
     *
     * @param threadDomain may be null
     */
    SoftProtectionDomain(SoftProtectionDomain shared, SoftThreadDomain threadDomain) {
        context = shared.context;
        number = shared.number;
        this.shared = shared;
        this.threadDomain = threadDomain;
        shared.children.add("parent domains");
        if (threadDomain != null) {
            threadDomain.children.add("parent domains");
        }
    }

    boolean isParentDomain() {
        return shared != null;
    }

    /**
     * Compares two protection domains.
     *
     * @return true if keys of one are valid in the other: both are the same domain, or parent domains of the same
     */
    boolean sharesKeysWith(ProtectionDomain other) {
        return other instanceof SoftProtectionDomain soft && soft.context == context && soft.number == number;
    }

    @Override
    public Context context() {
        return context;
    }

    SoftContext softContext() {
        return context;
    }

    /**
     * Number of the protection domain.
     *
     * @return unique in the device, except that a parent domain has the number of the domain it was made of
     */
    public int number() {
        return number;
    }

    @Override
    public Resource resource() {
        return Resource.of(ResourceKind.PD).with("pdn", number).withKey("local_dma_lkey", 0).with("users", children.count())
            .with("ctxn", context.number());
    }

    @Override
    public MemoryRegion register(MemorySegment memory, int access) {
        return register(memory, startOf(memory, access), access);
    }

    /**
     * Default start of the region's remote addresses.
     *
     * @return 0 for a ZERO_BASED region, otherwise the virtual address of the memory
     */
    static long startOf(MemorySegment memory, int access) {
        return (access & AccessFlags.ZERO_BASED) != 0 ? 0 : memory.address();
    }

    @Override
    public MemoryRegion register(MemorySegment memory, long iova, int access) {
        requireOpen("reg_mr");
        context.agent().lock().lock();
        try {
            StrictRegion use = watch(memory.address(), memory.byteSize());
            return new SoftMemoryRegion(this, memory, use, pinned("reg_mr", memory,
                () -> context.memory().register(memory, iova, access, number, use)));
        } finally {
            context.agent().lock().unlock();
        }
    }

    /**
     * Registers memory of a program outside this process.
     *
     * @param address of the first byte in {@code space}
     * @param length  bytes, unsigned
     * @param iova    address of the first byte as work requests name it
     * @return without {@link MemoryRegion#memory}, and without re-registration
     * @throws VerbsException EINVAL, ENOMEM; see {@link #register(MemorySegment, long, int)}
     */
    public MemoryRegion register(AddressSpace space, long address, long length, long iova, int access) {
        requireOpen("reg_mr");
        context.agent().lock().lock();
        try {
            StrictRegion use = watch(address, length);
            return new SoftMemoryRegion(this, null, use, context.memory().register(space, address, iova, length, access, number, use));
        } finally {
            context.agent().lock().unlock();
        }
    }

    /** Returns the rules of a region; null if the context is not strict. */
    private StrictRegion watch(long address, long length) {
        StrictContext strict = context.strict();
        return strict == null ? null : strict.region(address, length);
    }

    /**
     * Pins memory and registers it. If the registration fails, the memory is unpinned again.
     *
     * @param verb   name of the calling verb, for exceptions
     * @param action registers the memory
     * @return the registered region
     * @throws VerbsException EINVAL: the arena of the memory is closed; errors of the limit and of the action
     */
    Region pinned(String verb, MemorySegment memory, Supplier<Region> action) {
        if (!memory.scope().isAlive()) {
            throw new VerbsException(Errno.EINVAL, verb, "the arena of the memory is closed; its " + memory.byteSize()
                + " bytes do not exist any more");
        }
        context.pinned().pin(verb, memory);
        try {
            return action.get();
        } catch (VerbsException refused) {
            context.pinned().unpin(memory);
            throw refused;
        }
    }

    @Override
    public QueuePair createQp(QpInitAttributes attributes) {
        requireOpen("create_qp");
        return context.shown(context.newQueuePair(this, attributes));
    }

    @Override
    public AddressHandle createAh(AddressVector vector) {
        requireOpen("create_ah");
        context.agent().lock().lock();
        try {
            return new SoftAddressHandle(this, vector, context.openDestination(vector));
        } finally {
            context.agent().lock().unlock();
        }
    }

    @Override
    public SharedReceiveQueue createSrq(int maxWr, int maxSge, int limit) {
        return createSrq("create_srq", null, null, maxWr, maxSge, limit);
    }

    /**
     * Creates a shared receive queue.
     *
     * @param domain null unless this is an XRC queue
     * @param cq     null unless this is an XRC queue
     */
    SharedReceiveQueue createSrq(String verb, SoftXrcDomain domain, SoftCompletionQueue cq, int maxWr, int maxSge, int limit) {
        requireOpen(verb);
        DeviceAttributes limits = context.queryDevice();
        range(verb, "max_wr", maxWr, 1, limits.maxSrqWr());
        range(verb, "max_sge", maxSge, 0, limits.maxSrqSge());
        range(verb, "srq_limit", limit, 0, maxWr);
        return new SoftSharedReceiveQueue(this, domain, cq, maxWr, maxSge, limit, limits.maxSrqWr());
    }

    private static void range(String verb, String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new VerbsException(Errno.EINVAL, verb, name + " " + value + " is not in " + min + ".." + max);
        }
    }

    @Override
    public MemoryWindow allocateMw(MemoryWindow.Type type) {
        requireOpen("alloc_mw");
        context.agent().lock().lock();
        try {
            return new SoftMemoryWindow(this, type, context.memory().allocateWindow(number, type));
        } finally {
            context.agent().lock().unlock();
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        children.refuseIfAny("dealloc_pd");
        closed = true;
        if (shared == null) {
            context.children.remove("protection domains");
            context.living.remove(this);
            return;
        }
        shared.children.remove("parent domains");
        if (threadDomain != null) {
            threadDomain.children.remove("parent domains");
        }
    }

    synchronized void requireOpen(String verb) {
        if (closed) {
            throw new VerbsException(Errno.EINVAL, verb, "the protection domain is closed");
        }
    }

    @Override
    public String toString() {
        return "pd " + number;
    }
}
