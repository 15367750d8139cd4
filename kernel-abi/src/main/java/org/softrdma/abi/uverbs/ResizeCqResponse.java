// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to RESIZE_CQ.
 *
 * <p>Source: {@code struct ib_uverbs_resize_cq_resp}.
 */
public final class ResizeCqResponse {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int CQE_OFFSET = 0;

    private ResizeCqResponse() {
    }

    /** Number of entries after the change. */
    public static int cqe(MemorySegment m, long at) {
        return m.get(U32, at + CQE_OFFSET);
    }

    public static void cqe(MemorySegment m, long at, int value) {
        m.set(U32, at + CQE_OFFSET, value);
    }
}
