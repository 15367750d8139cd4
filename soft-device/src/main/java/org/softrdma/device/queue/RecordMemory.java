// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Memory of a ring's records. It is on the heap, which returns as soon as the collector needs room: native memory of queues that were
 * destroyed is freed by full collections only, so a server with short connections would spend its time in them.
 */
final class RecordMemory {
    private static final VarHandle U64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle U32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private final byte[] bytes;
    private final MemorySegment segment;

    /** @throws ArithmeticException the records have 2 GiB or more */
    RecordMemory(int records, int recordBytes) {
        bytes = new byte[Math.multiplyExact(records, recordBytes)];
        segment = MemorySegment.ofArray(bytes);
    }

    long u64(int at) {
        return (long) U64.get(bytes, at);
    }

    void u64(int at, long value) {
        U64.set(bytes, at, value);
    }

    int u32(int at) {
        return (int) U32.get(bytes, at);
    }

    void u32(int at, int value) {
        U32.set(bytes, at, value);
    }

    void copyTo(RecordMemory other, int from, int to, int count) {
        System.arraycopy(bytes, from, other.bytes, to, count);
    }

    /** Returns the same bytes, for copies. */
    MemorySegment segment() {
        return segment;
    }
}
