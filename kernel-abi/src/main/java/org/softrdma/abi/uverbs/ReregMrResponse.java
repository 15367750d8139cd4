// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to REREG_MR.
 *
 * <p>Source: {@code struct ib_uverbs_rereg_mr_resp}.
 */
public final class ReregMrResponse {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int LKEY_OFFSET = 0;
    /** u32. */
    public static final int RKEY_OFFSET = 4;

    private ReregMrResponse() {
    }

    /** Key for local access after the change. */
    public static int lkey(MemorySegment m, long at) {
        return m.get(U32, at + LKEY_OFFSET);
    }

    public static void lkey(MemorySegment m, long at, int value) {
        m.set(U32, at + LKEY_OFFSET, value);
    }

    /** Key for remote access after the change. */
    public static int rkey(MemorySegment m, long at) {
        return m.get(U32, at + RKEY_OFFSET);
    }

    public static void rkey(MemorySegment m, long at, int value) {
        m.set(U32, at + RKEY_OFFSET, value);
    }
}
