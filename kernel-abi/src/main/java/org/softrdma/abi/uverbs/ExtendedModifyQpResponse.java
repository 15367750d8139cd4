// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to the extended MODIFY_QP.
 *
 * <p>Source: {@code struct ib_uverbs_ex_modify_qp_resp}.
 */
public final class ExtendedModifyQpResponse {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int COMP_MASK_OFFSET = 0;
    /** u32. */
    public static final int RESPONSE_LENGTH_OFFSET = 4;

    private ExtendedModifyQpResponse() {
    }

    /** Zero. */
    public static int compMask(MemorySegment m, long at) {
        return m.get(U32, at + COMP_MASK_OFFSET);
    }

    public static void compMask(MemorySegment m, long at, int value) {
        m.set(U32, at + COMP_MASK_OFFSET, value);
    }

    /** Bytes of the answer. */
    public static int responseLength(MemorySegment m, long at) {
        return m.get(U32, at + RESPONSE_LENGTH_OFFSET);
    }

    public static void responseLength(MemorySegment m, long at, int value) {
        m.set(U32, at + RESPONSE_LENGTH_OFFSET, value);
    }
}
