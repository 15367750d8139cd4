// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Commands with one handle and no answer: DEALLOC_PD, DEREG_MR, DEALLOC_MW, DESTROY_AH, CLOSE_XRCD.
 *
 * <p>Source: {@code struct ib_uverbs_dealloc_pd}.
 */
public final class HandleCommand {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** u32. */
    public static final int HANDLE_OFFSET = 0;

    private HandleCommand() {
    }

    /** Handle of the object. */
    public static int handle(MemorySegment m, long at) {
        return m.get(U32, at + HANDLE_OFFSET);
    }

    public static void handle(MemorySegment m, long at, int value) {
        m.set(U32, at + HANDLE_OFFSET, value);
    }
}
