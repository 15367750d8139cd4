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
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;

/** A protection domain, with the regions and windows that work requests name by key. */
final class JoinedDomain extends JoinedObject implements ProtectionDomain {
    private static final int KEY_BITS = 8;

    private final Map<Integer, JoinedRegion> regions = new ConcurrentHashMap<>();
    /** By the bits of their keys that stay when a window is bound. */
    private final Map<Integer, JoinedWindow> windows = new ConcurrentHashMap<>();

    JoinedDomain(JoinedContext context) {
        super(context, "protection domain");
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
    void destroy(int handle) {
        try (Ioctl call = new Ioctl(joinedContext(), UverbsObject.PD, UverbsMethod.PD_DESTROY)) {
            call.number(UverbsAttribute.DESTROY_PD_HANDLE, handle).run("dealloc_pd");
        }
    }

    @Override
    String destroyVerb() {
        return "dealloc_pd";
    }
}
