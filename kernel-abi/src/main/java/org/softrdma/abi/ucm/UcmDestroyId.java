// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Body of DESTROY_ID and LEAVE_MCAST.
 *
 * <p>Source: {@code struct rdma_ucm_destroy_id}.
 */
public final class UcmDestroyId {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int ID_OFFSET = 8;

    private UcmDestroyId() {
    }

    /** Address in the program for the response. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }
}
