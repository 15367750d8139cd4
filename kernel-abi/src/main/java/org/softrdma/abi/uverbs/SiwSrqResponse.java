// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Driver output of SRQ_CREATE for libsiw.
 *
 * <p>Source: {@code struct siw_uresp_create_srq}.
 */
public final class SiwSrqResponse {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u32. */
    public static final int NUM_RQE_OFFSET = 0;
    /** u64. */
    public static final int SRQ_KEY_OFFSET = 8;

    private SiwSrqResponse() {
    }

    /** Entries of the ring. */
    public static int numRqe(MemorySegment m, long at) {
        return m.get(U32, at + NUM_RQE_OFFSET);
    }

    public static void numRqe(MemorySegment m, long at, int value) {
        m.set(U32, at + NUM_RQE_OFFSET, value);
    }

    /** Offset for mmap. */
    public static long srqKey(MemorySegment m, long at) {
        return m.get(U64, at + SRQ_KEY_OFFSET);
    }

    public static void srqKey(MemorySegment m, long at, long value) {
        m.set(U64, at + SRQ_KEY_OFFSET, value);
    }
}
