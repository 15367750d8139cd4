// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Driver output of REG_MR for libsiw.
 *
 * <p>Source: {@code struct siw_uresp_reg_mr}.
 */
public final class SiwRegMrResponse {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int STAG_OFFSET = 0;

    private SiwRegMrResponse() {
    }

    /** STag of the region. */
    public static int stag(MemorySegment m, long at) {
        return m.get(U32, at + STAG_OFFSET);
    }

    public static void stag(MemorySegment m, long at, int value) {
        m.set(U32, at + STAG_OFFSET, value);
    }
}
