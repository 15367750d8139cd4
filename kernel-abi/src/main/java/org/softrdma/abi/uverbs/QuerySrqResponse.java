// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to QUERY_SRQ.
 *
 * <p>Source: {@code struct ib_uverbs_query_srq_resp}.
 */
public final class QuerySrqResponse {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u32. */
    public static final int MAX_WR_OFFSET = 0;
    /** u32. */
    public static final int MAX_SGE_OFFSET = 4;
    /** u32. */
    public static final int SRQ_LIMIT_OFFSET = 8;

    private QuerySrqResponse() {
    }

    /** Size. */
    public static int maxWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_WR_OFFSET);
    }

    public static void maxWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_WR_OFFSET, value);
    }

    /** Scatter-gather elements of a receive. */
    public static int maxSge(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SGE_OFFSET);
    }

    public static void maxSge(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SGE_OFFSET, value);
    }

    /** Limit that is armed; 0 for none. */
    public static int srqLimit(MemorySegment m, long at) {
        return m.get(U32, at + SRQ_LIMIT_OFFSET);
    }

    public static void srqLimit(MemorySegment m, long at, int value) {
        m.set(U32, at + SRQ_LIMIT_OFFSET, value);
    }
}
