// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Command behind the {@link LegacyHeader} of a doorbell: the work request itself is in the shared ring, and all counts are 0.
 *
 * <p>Source: {@code struct ib_uverbs_post_send}.
 */
public final class PostSendCommand {
    /** Size in bytes. */
    public static final int BYTES = 24;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int QP_HANDLE_OFFSET = 8;
    /** u32. */
    public static final int WR_COUNT_OFFSET = 12;
    /** u32. */
    public static final int SGE_COUNT_OFFSET = 16;
    /** u32. */
    public static final int WQE_SIZE_OFFSET = 20;

    private PostSendCommand() {
    }

    /** Address for {@code bad_wr} in the program. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Queue pair with new work requests. */
    public static int qpHandle(MemorySegment m, long at) {
        return m.get(U32, at + QP_HANDLE_OFFSET);
    }

    public static void qpHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_HANDLE_OFFSET, value);
    }

    /** Work requests in the command; 0 in a doorbell. */
    public static int wrCount(MemorySegment m, long at) {
        return m.get(U32, at + WR_COUNT_OFFSET);
    }

    public static void wrCount(MemorySegment m, long at, int value) {
        m.set(U32, at + WR_COUNT_OFFSET, value);
    }

    /** Scatter-gather elements in the command; 0 in a doorbell. */
    public static int sgeCount(MemorySegment m, long at) {
        return m.get(U32, at + SGE_COUNT_OFFSET);
    }

    public static void sgeCount(MemorySegment m, long at, int value) {
        m.set(U32, at + SGE_COUNT_OFFSET, value);
    }

    /** Size of a work request; librxe and libsiw write 128, which nothing reads. */
    public static int wqeSize(MemorySegment m, long at) {
        return m.get(U32, at + WQE_SIZE_OFFSET);
    }

    public static void wqeSize(MemorySegment m, long at, int value) {
        m.set(U32, at + WQE_SIZE_OFFSET, value);
    }
}
