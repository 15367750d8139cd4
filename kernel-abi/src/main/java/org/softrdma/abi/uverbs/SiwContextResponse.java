// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Driver output of GET_CONTEXT for libsiw.
 *
 * <p>Source: {@code struct siw_uresp_alloc_ctx}.
 */
public final class SiwContextResponse {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int DEV_ID_OFFSET = 0;

    private SiwContextResponse() {
    }

    /** Number of the vendor's part. */
    public static int devId(MemorySegment m, long at) {
        return m.get(U32, at + DEV_ID_OFFSET);
    }

    public static void devId(MemorySegment m, long at, int value) {
        m.set(U32, at + DEV_ID_OFFSET, value);
    }
}
