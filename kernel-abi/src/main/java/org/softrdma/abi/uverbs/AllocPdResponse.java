// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to ALLOC_PD.
 *
 * <p>Source: {@code struct ib_uverbs_alloc_pd_resp}.
 */
public final class AllocPdResponse {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** u32. */
    public static final int PD_HANDLE_OFFSET = 0;

    private AllocPdResponse() {
    }

    /** Handle of the new protection domain. */
    public static int pdHandle(MemorySegment m, long at) {
        return m.get(U32, at + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + PD_HANDLE_OFFSET, value);
    }
}
