// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Asynchronous event, read from the descriptor of ASYNC_EVENT_ALLOC.
 *
 * <p>Source: {@code struct ib_uverbs_async_event_desc}.
 */
public final class AsyncEventRecord {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int ELEMENT_OFFSET = 0;
    /** u32. */
    public static final int EVENT_TYPE_OFFSET = 8;
    /** u32. */
    public static final int RESERVED_OFFSET = 12;

    private AsyncEventRecord() {
    }

    /** Cookie ({@code user_handle}) of the queue pair, completion queue or shared receive queue, or the number of the port. */
    public static long element(MemorySegment m, long at) {
        return m.get(U64, at + ELEMENT_OFFSET);
    }

    public static void element(MemorySegment m, long at, long value) {
        m.set(U64, at + ELEMENT_OFFSET, value);
    }

    /** {@code enum ibv_event_type}. */
    public static int eventType(MemorySegment m, long at) {
        return m.get(U32, at + EVENT_TYPE_OFFSET);
    }

    public static void eventType(MemorySegment m, long at, int value) {
        m.set(U32, at + EVENT_TYPE_OFFSET, value);
    }

    /** Zero. */
    public static int reserved(MemorySegment m, long at) {
        return m.get(U32, at + RESERVED_OFFSET);
    }

    public static void reserved(MemorySegment m, long at, int value) {
        m.set(U32, at + RESERVED_OFFSET, value);
    }
}
