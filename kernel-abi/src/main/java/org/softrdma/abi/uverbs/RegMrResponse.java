// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to REG_MR.
 *
 * <p>Source: {@code struct ib_uverbs_reg_mr_resp}.
 */
public final class RegMrResponse {
    /** Size in bytes. */
    public static final int BYTES = 12;
    /** u32. */
    public static final int MR_HANDLE_OFFSET = 0;
    /** u32. */
    public static final int LKEY_OFFSET = 4;
    /** u32. */
    public static final int RKEY_OFFSET = 8;

    private RegMrResponse() {
    }

    /** Handle of the new memory region. */
    public static int mrHandle(MemorySegment m, long at) {
        return m.get(U32, at + MR_HANDLE_OFFSET);
    }

    public static void mrHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + MR_HANDLE_OFFSET, value);
    }

    /** Key for local access. */
    public static int lkey(MemorySegment m, long at) {
        return m.get(U32, at + LKEY_OFFSET);
    }

    public static void lkey(MemorySegment m, long at, int value) {
        m.set(U32, at + LKEY_OFFSET, value);
    }

    /** Key for remote access; 0 if remote access is not granted. */
    public static int rkey(MemorySegment m, long at) {
        return m.get(U32, at + RKEY_OFFSET);
    }

    public static void rkey(MemorySegment m, long at, int value) {
        m.set(U32, at + RKEY_OFFSET, value);
    }
}
