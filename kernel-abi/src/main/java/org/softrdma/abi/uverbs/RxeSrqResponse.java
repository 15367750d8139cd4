// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Driver output of SRQ_CREATE for librxe.
 *
 * <p>Source: {@code struct rxe_create_srq_resp}.
 */
public final class RxeSrqResponse {
    /** Size in bytes. */
    public static final int BYTES = 24;
    /** {@link MmapInfo}: ring of receives. */
    public static final int QUEUE_OFFSET = 0;
    /** u32. */
    public static final int SRQ_NUM_OFFSET = 16;

    private RxeSrqResponse() {
    }

    /** Number of the shared receive queue. */
    public static int srqNum(MemorySegment m, long at) {
        return m.get(U32, at + SRQ_NUM_OFFSET);
    }

    public static void srqNum(MemorySegment m, long at, int value) {
        m.set(U32, at + SRQ_NUM_OFFSET, value);
    }
}
