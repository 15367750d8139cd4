// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Command QUERY_QP.
 *
 * <p>Source: {@code struct ib_uverbs_query_qp}.
 */
public final class QueryQpCommand {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int QP_HANDLE_OFFSET = 8;
    /** u32. */
    public static final int ATTR_MASK_OFFSET = 12;

    private QueryQpCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Queue pair. */
    public static int qpHandle(MemorySegment m, long at) {
        return m.get(U32, at + QP_HANDLE_OFFSET);
    }

    public static void qpHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_HANDLE_OFFSET, value);
    }

    /** Attributes that are wanted; a device may answer with all. */
    public static int attrMask(MemorySegment m, long at) {
        return m.get(U32, at + ATTR_MASK_OFFSET);
    }

    public static void attrMask(MemorySegment m, long at, int value) {
        m.set(U32, at + ATTR_MASK_OFFSET, value);
    }
}
