// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Body of REJECT.
 *
 * <p>Source: {@code struct rdma_ucm_reject}.
 */
public final class UcmReject {
    /** Size in bytes. */
    public static final int BYTES = 264;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u8. */
    public static final int PRIVATE_DATA_LEN_OFFSET = 4;
    /** u8. */
    public static final int REASON_OFFSET = 5;
    /** 256 bytes: private data; the valid part comes first. */
    public static final int PRIVATE_DATA_OFFSET = 8;

    private UcmReject() {
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** Bytes of private data that are valid. */
    public static int privateDataLen(MemorySegment m, long at) {
        return m.get(U8, at + PRIVATE_DATA_LEN_OFFSET) & 0xFF;
    }

    public static void privateDataLen(MemorySegment m, long at, int value) {
        m.set(U8, at + PRIVATE_DATA_LEN_OFFSET, (byte) value);
    }

    /** Reject reason; 0 is taken for 28, rejected by the consumer. */
    public static int reason(MemorySegment m, long at) {
        return m.get(U8, at + REASON_OFFSET) & 0xFF;
    }

    public static void reason(MemorySegment m, long at, int value) {
        m.set(U8, at + REASON_OFFSET, (byte) value);
    }
}
