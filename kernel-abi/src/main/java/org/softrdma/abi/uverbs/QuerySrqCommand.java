// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Command QUERY_SRQ.
 *
 * <p>Source: {@code struct ib_uverbs_query_srq}.
 */
public final class QuerySrqCommand {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int SRQ_HANDLE_OFFSET = 8;

    private QuerySrqCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Shared receive queue. */
    public static int srqHandle(MemorySegment m, long at) {
        return m.get(U32, at + SRQ_HANDLE_OFFSET);
    }

    public static void srqHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + SRQ_HANDLE_OFFSET, value);
    }
}
