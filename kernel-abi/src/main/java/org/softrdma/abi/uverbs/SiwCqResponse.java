// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Driver output of CQ_CREATE for libsiw.
 *
 * <p>Source: {@code struct siw_uresp_create_cq}.
 */
public final class SiwCqResponse {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u32. */
    public static final int CQ_ID_OFFSET = 0;
    /** u32. */
    public static final int NUM_CQE_OFFSET = 4;
    /** u64. */
    public static final int CQ_KEY_OFFSET = 8;

    private SiwCqResponse() {
    }

    /** Number of the completion queue. */
    public static int cqId(MemorySegment m, long at) {
        return m.get(U32, at + CQ_ID_OFFSET);
    }

    public static void cqId(MemorySegment m, long at, int value) {
        m.set(U32, at + CQ_ID_OFFSET, value);
    }

    /** Entries of the ring. */
    public static int numCqe(MemorySegment m, long at) {
        return m.get(U32, at + NUM_CQE_OFFSET);
    }

    public static void numCqe(MemorySegment m, long at, int value) {
        m.set(U32, at + NUM_CQE_OFFSET, value);
    }

    /** Offset for mmap, or {@link UverbsValue#SIW_INVALID_KEY}. Mapped are num_cqe records and a control record. */
    public static long cqKey(MemorySegment m, long at) {
        return m.get(U64, at + CQ_KEY_OFFSET);
    }

    public static void cqKey(MemorySegment m, long at, long value) {
        m.set(U64, at + CQ_KEY_OFFSET, value);
    }
}
