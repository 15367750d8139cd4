// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to OPEN_XRCD.
 *
 * <p>Source: {@code struct ib_uverbs_open_xrcd_resp}.
 */
public final class OpenXrcdResponse {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** u32. */
    public static final int XRCD_HANDLE_OFFSET = 0;

    private OpenXrcdResponse() {
    }

    /** Handle of the XRC domain. */
    public static int xrcdHandle(MemorySegment m, long at) {
        return m.get(U32, at + XRCD_HANDLE_OFFSET);
    }

    public static void xrcdHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + XRCD_HANDLE_OFFSET, value);
    }
}
