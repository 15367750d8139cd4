// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Driver output of CREATE_AH for librxe.
 *
 * <p>Source: {@code struct rxe_create_ah_resp}.
 */
public final class RxeAhResponse {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int AH_NUM_OFFSET = 0;

    private RxeAhResponse() {
    }

    /** Number that datagram work requests carry; 0 would mean that they carry the address itself. */
    public static int ahNum(MemorySegment m, long at) {
        return m.get(U32, at + AH_NUM_OFFSET);
    }

    public static void ahNum(MemorySegment m, long at, int value) {
        m.set(U32, at + AH_NUM_OFFSET, value);
    }
}
