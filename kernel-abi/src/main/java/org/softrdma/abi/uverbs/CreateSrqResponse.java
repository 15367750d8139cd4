// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to CREATE_XSRQ.
 *
 * <p>Source: {@code struct ib_uverbs_create_srq_resp}.
 */
public final class CreateSrqResponse {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u32. */
    public static final int SRQ_HANDLE_OFFSET = 0;
    /** u32. */
    public static final int MAX_WR_OFFSET = 4;
    /** u32. */
    public static final int MAX_SGE_OFFSET = 8;
    /** u32. */
    public static final int SRQN_OFFSET = 12;

    private CreateSrqResponse() {
    }

    /** Handle of the new shared receive queue. */
    public static int srqHandle(MemorySegment m, long at) {
        return m.get(U32, at + SRQ_HANDLE_OFFSET);
    }

    public static void srqHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + SRQ_HANDLE_OFFSET, value);
    }

    /** Receives. */
    public static int maxWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_WR_OFFSET);
    }

    public static void maxWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_WR_OFFSET, value);
    }

    /** Scatter-gather elements of a receive. */
    public static int maxSge(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SGE_OFFSET);
    }

    public static void maxSge(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SGE_OFFSET, value);
    }

    /** Number that XRC peers name, u24. */
    public static int srqn(MemorySegment m, long at) {
        return m.get(U32, at + SRQN_OFFSET);
    }

    public static void srqn(MemorySegment m, long at, int value) {
        m.set(U32, at + SRQN_OFFSET, value);
    }
}
