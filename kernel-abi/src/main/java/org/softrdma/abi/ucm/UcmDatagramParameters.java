// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.AhAttributes;

/**
 * Parameters of a datagram peer or multicast group in events.
 *
 * <p>Source: {@code struct rdma_ucm_ud_param}.
 */
public final class UcmDatagramParameters {
    /** Size in bytes. */
    public static final int BYTES = 304;
    /** u32. */
    public static final int QP_NUM_OFFSET = 0;
    /** u32. */
    public static final int QKEY_OFFSET = 4;
    /** {@link AhAttributes}: address to send to. */
    public static final int AH_ATTR_OFFSET = 8;
    /** 256 bytes: private data; the valid part comes first. */
    public static final int PRIVATE_DATA_OFFSET = 40;
    /** u8. */
    public static final int PRIVATE_DATA_LEN_OFFSET = 296;

    private UcmDatagramParameters() {
    }

    /** Queue pair number, u24. */
    public static int qpNum(MemorySegment m, long at) {
        return m.get(U32, at + QP_NUM_OFFSET);
    }

    public static void qpNum(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_NUM_OFFSET, value);
    }

    /** Queue key. */
    public static int qkey(MemorySegment m, long at) {
        return m.get(U32, at + QKEY_OFFSET);
    }

    public static void qkey(MemorySegment m, long at, int value) {
        m.set(U32, at + QKEY_OFFSET, value);
    }

    /** Bytes of private data that are valid. */
    public static int privateDataLen(MemorySegment m, long at) {
        return m.get(U8, at + PRIVATE_DATA_LEN_OFFSET) & 0xFF;
    }

    public static void privateDataLen(MemorySegment m, long at, int value) {
        m.set(U8, at + PRIVATE_DATA_LEN_OFFSET, (byte) value);
    }
}
