// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Command RESIZE_CQ.
 *
 * <p>Source: {@code struct ib_uverbs_resize_cq}.
 */
public final class ResizeCqCommand {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int CQ_HANDLE_OFFSET = 8;
    /** u32. */
    public static final int CQE_OFFSET = 12;

    private ResizeCqCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Completion queue. */
    public static int cqHandle(MemorySegment m, long at) {
        return m.get(U32, at + CQ_HANDLE_OFFSET);
    }

    public static void cqHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + CQ_HANDLE_OFFSET, value);
    }

    /** Wanted number of entries. */
    public static int cqe(MemorySegment m, long at) {
        return m.get(U32, at + CQE_OFFSET);
    }

    public static void cqe(MemorySegment m, long at, int value) {
        m.set(U32, at + CQE_OFFSET, value);
    }
}
