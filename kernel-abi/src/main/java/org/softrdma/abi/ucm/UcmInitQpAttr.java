// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Body of INIT_QP_ATTR.
 *
 * <p>Source: {@code struct rdma_ucm_init_qp_attr}.
 */
public final class UcmInitQpAttr {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int ID_OFFSET = 8;
    /** u32. */
    public static final int QP_STATE_OFFSET = 12;

    private UcmInitQpAttr() {
    }

    /** Address in the program for the response. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** State to get attributes for, {@code enum ibv_qp_state}. */
    public static int qpState(MemorySegment m, long at) {
        return m.get(U32, at + QP_STATE_OFFSET);
    }

    public static void qpState(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_STATE_OFFSET, value);
    }
}
