// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.libibverbs.layout.IbvParentDomainInitAttr;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;

/**
 * {@code struct ibv_pd}. It knows its regions and windows by their keys: requests to bind windows have keys. A parent domain has the keys
 * of the protection domain that it is made of.
 */
final class NativeProtectionDomain extends NativeObject implements ProtectionDomain {
    private static final int KEY_BITS = 8;

    private final Map<Integer, NativeMemoryRegion> regions;
    private final Map<Integer, NativeMemoryWindow> windows;
    /** Null unless this is a parent domain: the domain that it is made of. */
    private final NativeProtectionDomain base;
    /** Null for none. */
    private final NativeThreadDomain td;

    NativeProtectionDomain(NativeContext context, long address) {
        super(context, "protection domain", address);
        regions = new ConcurrentHashMap<>();
        windows = new ConcurrentHashMap<>();
        base = null;
        td = null;
    }

    private NativeProtectionDomain(NativeProtectionDomain base, NativeThreadDomain td, long address) {
        super(base.nativeContext(), "parent domain", address);
        regions = base.regions;
        windows = base.windows;
        this.base = base;
        this.td = td;
    }

    /**
     * Allocates a parent domain.
     *
     * @param td null for none
     */
    static NativeProtectionDomain allocateParent(NativeProtectionDomain base, NativeThreadDomain td) {
        if (base.isParent()) {
            throw new VerbsException(Errno.EINVAL, "alloc_parent_domain", "the protection domain is a parent domain itself");
        }
        NativeContext context = base.nativeContext();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvParentDomainInitAttr.BYTES, 8);
            IbvParentDomainInitAttr.PD.set(m, 0, base.address("alloc_parent_domain"));
            IbvParentDomainInitAttr.TD.set(m, 0, td == null ? 0 : td.address("alloc_parent_domain"));
            return new NativeProtectionDomain(base, td, Libibverbs.created(
                context.extended.allocParentDomain.call(context.address("alloc_parent_domain"), m.address()), "alloc_parent_domain",
                context.device().name()));
        }
    }

    boolean isParent() {
        return base != null;
    }

    /** Returns whether objects of both work together: they are the same, or parent domains of the same. */
    boolean sharesKeysWith(ProtectionDomain other) {
        return other instanceof NativeProtectionDomain that && that.regions == regions;
    }

    /** The part of a window's key that stays: callers choose the low byte. */
    static int windowIndex(int rkey) {
        return rkey >>> KEY_BITS;
    }

    void add(int lkey, NativeMemoryRegion region) {
        regions.put(lkey, region);
    }

    void remove(int lkey, NativeMemoryRegion region) {
        regions.remove(lkey, region);
    }

    /** Returns the region with that key, or null. */
    NativeMemoryRegion region(int lkey) {
        return regions.get(lkey);
    }

    void add(int index, NativeMemoryWindow window) {
        windows.put(index, window);
    }

    void remove(int index, NativeMemoryWindow window) {
        windows.remove(index, window);
    }

    /** Returns the window with that key or one that differs in the low byte, or null. */
    NativeMemoryWindow window(int rkey) {
        return windows.get(windowIndex(rkey));
    }

    @Override
    public Context context() {
        return nativeContext();
    }

    @Override
    public MemoryRegion register(MemorySegment memory, int access) {
        return NativeMemoryRegion.register(this, memory, access);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, long iova, int access) {
        return NativeMemoryRegion.register(this, memory, iova, access);
    }

    @Override
    public QueuePair createQp(QpInitAttributes attributes) {
        return NativeQueuePair.create(this, attributes);
    }

    @Override
    public AddressHandle createAh(AddressVector vector) {
        return NativeAddressHandle.create(this, vector);
    }

    @Override
    public SharedReceiveQueue createSrq(int maxWr, int maxSge, int limit) {
        return NativeSharedReceiveQueue.create(this, maxWr, maxSge, limit);
    }

    @Override
    public MemoryWindow allocateMw(MemoryWindow.Type type) {
        return NativeMemoryWindow.allocate(this, type);
    }

    @Override
    boolean uses(NativeObject other) {
        return other == base || other == td;
    }

    @Override
    int destroy(long structure) {
        return (int) Libibverbs.DEALLOC_PD.call(structure);
    }

    @Override
    String destroyVerb() {
        return "dealloc_pd";
    }
}
