// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
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

/** A protection domain, with the regions and windows that work requests name by key. */
final class JoinedDomain extends JoinedObject implements ProtectionDomain {
    private static final int KEY_BITS = 8;

    private final Map<Integer, JoinedRegion> regions;
    /** By the bits of their keys that stay when a window is bound. */
    private final Map<Integer, JoinedWindow> windows;
    /** Null unless this is a parent domain: the domain that it is made of, whose handle it has. */
    private final JoinedDomain base;
    /** Null for none. */
    private final JoinedThreadDomain td;

    JoinedDomain(JoinedContext context) {
        super(context, "protection domain");
        regions = new ConcurrentHashMap<>();
        windows = new ConcurrentHashMap<>();
        base = null;
        td = null;
    }

    private JoinedDomain(JoinedDomain base, JoinedThreadDomain td) {
        super(base.joinedContext(), "parent domain");
        regions = base.regions;
        windows = base.windows;
        this.base = base;
        this.td = td;
    }

    /**
     * Makes a parent domain, of which the daemon knows nothing: libibverbs leaves it to the library's half of a driver as well.
     *
     * @param td null for none
     */
    static JoinedDomain parent(JoinedDomain base, JoinedThreadDomain td) {
        if (base.isParent()) {
            throw new VerbsException(Errno.EINVAL, "alloc_parent_domain", "the protection domain is a parent domain itself");
        }
        JoinedDomain made = new JoinedDomain(base, td);
        made.created(base.handle("alloc_parent_domain"));
        return made;
    }

    boolean isParent() {
        return base != null;
    }

    /** Returns whether objects of both work together: they are the same, or parent domains of the same. */
    boolean sharesKeysWith(ProtectionDomain other) {
        return other instanceof JoinedDomain that && that.regions == regions;
    }

    void add(JoinedRegion region, int lkey) {
        regions.put(lkey, region);
    }

    void remove(JoinedRegion region, int lkey) {
        regions.remove(lkey, region);
    }

    /** Returns the region with that key, or null. */
    JoinedRegion region(int lkey) {
        return regions.get(lkey);
    }

    void add(JoinedWindow window, int rkey) {
        windows.put(rkey >>> KEY_BITS, window);
    }

    void remove(JoinedWindow window, int rkey) {
        windows.remove(rkey >>> KEY_BITS, window);
    }

    /** Returns the window with that key or one that differs in the low byte, or null. */
    JoinedWindow window(int rkey) {
        return windows.get(rkey >>> KEY_BITS);
    }

    @Override
    public Context context() {
        return joinedContext();
    }

    @Override
    public MemoryRegion register(MemorySegment memory, int access) {
        return JoinedRegion.register(this, memory, access);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, long iova, int access) {
        return JoinedRegion.register(this, memory, iova, access);
    }

    @Override
    public QueuePair createQp(QpInitAttributes attributes) {
        return JoinedQueuePair.create(this, attributes);
    }

    @Override
    public AddressHandle createAh(AddressVector vector) {
        return JoinedAddressHandle.create(this, vector);
    }

    @Override
    public SharedReceiveQueue createSrq(int maxWr, int maxSge, int limit) {
        return JoinedSharedReceives.create(this, maxWr, maxSge, limit);
    }

    @Override
    public MemoryWindow allocateMw(MemoryWindow.Type type) {
        return JoinedWindow.allocate(this, type);
    }

    @Override
    boolean uses(JoinedObject other) {
        return other == base || other == td;
    }

    @Override
    void destroy(int handle) {
        if (isParent()) {
            return;
        }
        try (Ioctl call = new Ioctl(joinedContext(), UverbsObject.PD, UverbsMethod.PD_DESTROY)) {
            call.number(UverbsAttribute.DESTROY_PD_HANDLE, handle).run("dealloc_pd");
        }
    }

    @Override
    String destroyVerb() {
        return "dealloc_pd";
    }
}
