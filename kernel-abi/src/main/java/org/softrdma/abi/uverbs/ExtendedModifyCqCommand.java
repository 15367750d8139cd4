// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Command of the extended MODIFY_CQ; it has no answer.
 *
 * <p>Source: {@code struct ib_uverbs_ex_modify_cq}.
 */
public final class ExtendedModifyCqCommand {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u32. */
    public static final int CQ_HANDLE_OFFSET = 0;
    /** u32. */
    public static final int ATTR_MASK_OFFSET = 4;
    /** u16. */
    public static final int CQ_COUNT_OFFSET = 8;
    /** u16. */
    public static final int CQ_PERIOD_OFFSET = 10;

    private ExtendedModifyCqCommand() {
    }

    /** Completion queue. */
    public static int cqHandle(MemorySegment m, long at) {
        return m.get(U32, at + CQ_HANDLE_OFFSET);
    }

    public static void cqHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + CQ_HANDLE_OFFSET, value);
    }

    /** Attributes that are valid: 1 moderation. */
    public static int attrMask(MemorySegment m, long at) {
        return m.get(U32, at + ATTR_MASK_OFFSET);
    }

    public static void attrMask(MemorySegment m, long at, int value) {
        m.set(U32, at + ATTR_MASK_OFFSET, value);
    }

    /** Completions of one event. */
    public static int cqCount(MemorySegment m, long at) {
        return m.get(U16, at + CQ_COUNT_OFFSET) & 0xFFFF;
    }

    public static void cqCount(MemorySegment m, long at, int value) {
        m.set(U16, at + CQ_COUNT_OFFSET, (short) value);
    }

    /** Microseconds of one event. */
    public static int cqPeriod(MemorySegment m, long at) {
        return m.get(U16, at + CQ_PERIOD_OFFSET) & 0xFFFF;
    }

    public static void cqPeriod(MemorySegment m, long at, int value) {
        m.set(U16, at + CQ_PERIOD_OFFSET, (short) value);
    }
}
