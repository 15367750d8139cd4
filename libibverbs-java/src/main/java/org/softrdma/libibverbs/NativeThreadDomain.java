// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvTdInitAttr;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.ThreadDomain;

/** {@code struct ibv_td}. */
final class NativeThreadDomain extends NativeObject implements ThreadDomain {
    private NativeThreadDomain(NativeContext context, long address) {
        super(context, "thread domain", address);
    }

    static NativeThreadDomain allocate(NativeContext context) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvTdInitAttr.BYTES, 8);
            return new NativeThreadDomain(context, Libibverbs.created(
                context.extended.allocTd.call(context.address("alloc_td"), m.address()), "alloc_td", context.device().name()));
        }
    }

    @Override
    public Context context() {
        return nativeContext();
    }

    @Override
    int destroy(long structure) {
        return (int) nativeContext().extended.deallocTd.call(structure);
    }

    @Override
    String destroyVerb() {
        return "dealloc_td";
    }
}
