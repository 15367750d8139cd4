// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Command MODIFY_SRQ; it has no answer.
 *
 * <p>Source: {@code struct ib_uverbs_modify_srq}.
 */
public final class ModifySrqCommand {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u32. */
    public static final int SRQ_HANDLE_OFFSET = 0;
    /** u32. */
    public static final int ATTR_MASK_OFFSET = 4;
    /** u32. */
    public static final int MAX_WR_OFFSET = 8;
    /** u32. */
    public static final int SRQ_LIMIT_OFFSET = 12;

    private ModifySrqCommand() {
    }

    /** Shared receive queue. */
    public static int srqHandle(MemorySegment m, long at) {
        return m.get(U32, at + SRQ_HANDLE_OFFSET);
    }

    public static void srqHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + SRQ_HANDLE_OFFSET, value);
    }

    /** Attributes that are valid: 1 max_wr, 2 srq_limit. */
    public static int attrMask(MemorySegment m, long at) {
        return m.get(U32, at + ATTR_MASK_OFFSET);
    }

    public static void attrMask(MemorySegment m, long at, int value) {
        m.set(U32, at + ATTR_MASK_OFFSET, value);
    }

    /** Wanted size. */
    public static int maxWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_WR_OFFSET);
    }

    public static void maxWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_WR_OFFSET, value);
    }

    /** Number of receives below which an event is raised once; 0 is never. */
    public static int srqLimit(MemorySegment m, long at) {
        return m.get(U32, at + SRQ_LIMIT_OFFSET);
    }

    public static void srqLimit(MemorySegment m, long at, int value) {
        m.set(U32, at + SRQ_LIMIT_OFFSET, value);
    }
}
