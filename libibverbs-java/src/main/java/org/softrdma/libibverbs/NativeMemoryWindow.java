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

    private NativeMemoryWindow(NativeProtectionDomain pd, Type type, long address) {
        super(pd.nativeContext(), "memory window", address);
        this.pd = pd;
        this.type = type;
        index = NativeProtectionDomain.windowIndex(IbvMw.RKEY.get(NativeMemory.ALL, address));
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
        return IbvMw.RKEY.get(NativeMemory.ALL, address("query_mw"));
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
