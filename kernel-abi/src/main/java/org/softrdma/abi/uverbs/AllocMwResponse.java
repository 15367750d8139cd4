// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to ALLOC_MW.
 *
 * <p>Source: {@code struct ib_uverbs_alloc_mw_resp}.
 */
public final class AllocMwResponse {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int MW_HANDLE_OFFSET = 0;
    /** u32. */
    public static final int RKEY_OFFSET = 4;

    private AllocMwResponse() {
    }

    /** Handle of the new memory window. */
    public static int mwHandle(MemorySegment m, long at) {
        return m.get(U32, at + MW_HANDLE_OFFSET);
    }

    public static void mwHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + MW_HANDLE_OFFSET, value);
    }

    /** First key of the window. */
    public static int rkey(MemorySegment m, long at) {
        return m.get(U32, at + RKEY_OFFSET);
    }

    public static void rkey(MemorySegment m, long at, int value) {
        m.set(U32, at + RKEY_OFFSET, value);
    }
}
