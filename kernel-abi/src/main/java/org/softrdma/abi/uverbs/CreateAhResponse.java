// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to CREATE_AH.
 *
 * <p>Source: {@code struct ib_uverbs_create_ah_resp}.
 */
public final class CreateAhResponse {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** u32. */
    public static final int AH_HANDLE_OFFSET = 0;

    private CreateAhResponse() {
    }

    /** Handle of the new address handle. */
    public static int ahHandle(MemorySegment m, long at) {
        return m.get(U32, at + AH_HANDLE_OFFSET);
    }

    public static void ahHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + AH_HANDLE_OFFSET, value);
    }
}
