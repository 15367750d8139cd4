// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to CREATE_ID, JOIN_MCAST and JOIN_IP_MCAST.
 *
 * <p>Source: {@code struct rdma_ucm_create_id_resp}.
 */
public final class UcmIdResponse {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** u32. */
    public static final int ID_OFFSET = 0;

    private UcmIdResponse() {
    }

    /** New identifier. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }
}
