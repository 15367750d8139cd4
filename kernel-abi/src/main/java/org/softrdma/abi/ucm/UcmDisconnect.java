// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Body of DISCONNECT.
 *
 * <p>Source: {@code struct rdma_ucm_disconnect}.
 */
public final class UcmDisconnect {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** u32. */
    public static final int ID_OFFSET = 0;

    private UcmDisconnect() {
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }
}
