// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to DESTROY_ID, LEAVE_MCAST and MIGRATE_ID: events of the identifier that the program has read. It waits until it has acknowledged
 * as many.
 *
 * <p>Source: {@code struct rdma_ucm_destroy_id_resp}.
 */
public final class UcmEventsReported {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** u32. */
    public static final int EVENTS_REPORTED_OFFSET = 0;

    private UcmEventsReported() {
    }

    /** Events read. */
    public static int eventsReported(MemorySegment m, long at) {
        return m.get(U32, at + EVENTS_REPORTED_OFFSET);
    }

    public static void eventsReported(MemorySegment m, long at, int value) {
        m.set(U32, at + EVENTS_REPORTED_OFFSET, value);
    }
}
