// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import org.softrdma.libibverbs.layout.IbvMw;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;

/** {@code struct ibv_mw}. */
final class NativeMemoryWindow extends NativeObject implements MemoryWindow {
    private final NativeProtectionDomain pd;
    private final Type type;
    /** The key's upper 24 bits never change. */
    private final int index;
    /** The key it was allocated with. */
    private final int first;

    private NativeMemoryWindow(NativeProtectionDomain pd, Type type, long address) {
        super(pd.nativeContext(), "memory window", address);
        this.pd = pd;
        this.type = type;
        first = IbvMw.RKEY.get(NativeMemory.ALL, address);
        index = NativeProtectionDomain.windowIndex(first);
        pd.add(index, this);
    }

    static NativeMemoryWindow allocate(NativeProtectionDomain pd, Type type) {
        return new NativeMemoryWindow(pd, type, Libibverbs.created(
            pd.nativeContext().allocMw.call(pd.address("alloc_mw"), type.value()), "alloc_mw", type.toString()));
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public Type type() {
        return type;
    }

    @Override
    public synchronized int rkey() {
        int last = IbvMw.RKEY.get(NativeMemory.ALL, address("query_mw"));
        return type == Type.TYPE_1 ? last : first;
    }

    /**
     * Tells the library which key a posted BIND_MW gives this window of type 2. Drivers name the window by this key when it is bound
     * again (kernel rxe compares it), and it is the caller of libibverbs who keeps it up to date.
     */
    synchronized void bindingTo(int key) {
        IbvMw.RKEY.set(NativeMemory.ALL, address("post_send"), key);
    }

    @Override
    boolean uses(NativeObject other) {
        return other == pd;
    }

    @Override
    int destroy(long structure) {
        int refused = (int) nativeContext().deallocMw.call(structure);
        if (refused == 0) {
            pd.remove(index, this);
        }
        return refused;
    }

    @Override
    String destroyVerb() {
        return "dealloc_mw";
    }
}
