// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Asynchronous events of a queue pair or shared receive queue that the program has read; it waits in its destroy call until it has
 * acknowledged as many.
 *
 * <p>Source: {@code struct ib_uverbs_destroy_qp_resp}.
 */
public final class DestroyResponse {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** u32. */
    public static final int EVENTS_REPORTED_OFFSET = 0;

    private DestroyResponse() {
    }

    /** Asynchronous events read. */
    public static int eventsReported(MemorySegment m, long at) {
        return m.get(U32, at + EVENTS_REPORTED_OFFSET);
    }

    public static void eventsReported(MemorySegment m, long at, int value) {
        m.set(U32, at + EVENTS_REPORTED_OFFSET, value);
    }
}
