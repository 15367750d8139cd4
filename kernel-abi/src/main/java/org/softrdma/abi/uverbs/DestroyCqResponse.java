// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Events of a completion queue that the program has read; it waits in {@code ibv_destroy_cq} until it has acknowledged as many.
 *
 * <p>Source: {@code struct ib_uverbs_destroy_cq_resp}.
 */
public final class DestroyCqResponse {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int COMP_EVENTS_REPORTED_OFFSET = 0;
    /** u32. */
    public static final int ASYNC_EVENTS_REPORTED_OFFSET = 4;

    private DestroyCqResponse() {
    }

    /** Completion events read. */
    public static int compEventsReported(MemorySegment m, long at) {
        return m.get(U32, at + COMP_EVENTS_REPORTED_OFFSET);
    }

    public static void compEventsReported(MemorySegment m, long at, int value) {
        m.set(U32, at + COMP_EVENTS_REPORTED_OFFSET, value);
    }

    /** Asynchronous events read. */
    public static int asyncEventsReported(MemorySegment m, long at) {
        return m.get(U32, at + ASYNC_EVENTS_REPORTED_OFFSET);
    }

    public static void asyncEventsReported(MemorySegment m, long at, int value) {
        m.set(U32, at + ASYNC_EVENTS_REPORTED_OFFSET, value);
    }
}
