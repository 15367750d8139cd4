// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Body of GET_EVENT.
 *
 * <p>Source: {@code struct rdma_ucm_get_event}.
 */
public final class UcmGetEvent {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;

    private UcmGetEvent() {
    }

    /** Address in the program for the response. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }
}
