// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvCompChannel;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;

/** {@code struct ibv_comp_channel}. Threads wait for its descriptor without a lock. */
final class NativeCompletionChannel extends NativeObject implements CompletionChannel {
    private static final ThreadLocal<MemorySegment> POINTERS = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(2L * Long.BYTES, 8));

    private final int fd;

    NativeCompletionChannel(NativeContext context, long address) {
        super(context, "completion channel", address);
        fd = IbvCompChannel.FD.get(NativeMemory.ALL, address);
        Descriptors.setNonBlocking(fd);
    }

    @Override
    public Context rdmaContext() {
        return nativeContext();
    }

    @Override
    public CompletionQueue getEvent(long timeoutNs) {
        address("get_cq_event");
        MemorySegment found = POINTERS.get();
        if (!Descriptors.receive(fd, timeoutNs, "get_cq_event",
                () -> Libibverbs.GET_CQ_EVENT.call(address("get_cq_event"), found.address(), found.address() + Long.BYTES))) {
            return null;
        }
        NativeObject queue = nativeContext().object(found.get(JAVA_LONG, 0));
        queue.delivered();
        return (NativeCompletionQueue) queue;
    }

    @Override
    int destroy(long structure) {
        return (int) Libibverbs.DESTROY_COMP_CHANNEL.call(structure);
    }

    @Override
    String destroyVerb() {
        return "destroy_comp_channel";
    }
}
