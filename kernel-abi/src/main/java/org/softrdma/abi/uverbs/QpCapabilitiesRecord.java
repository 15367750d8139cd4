// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Sizes of a queue pair, wanted and granted.
 *
 * <p>Source: {@code struct ib_uverbs_qp_cap}.
 */
public final class QpCapabilitiesRecord {
    /** Size in bytes. */
    public static final int BYTES = 20;
    /** u32. */
    public static final int MAX_SEND_WR_OFFSET = 0;
    /** u32. */
    public static final int MAX_RECV_WR_OFFSET = 4;
    /** u32. */
    public static final int MAX_SEND_SGE_OFFSET = 8;
    /** u32. */
    public static final int MAX_RECV_SGE_OFFSET = 12;
    /** u32. */
    public static final int MAX_INLINE_DATA_OFFSET = 16;

    private QpCapabilitiesRecord() {
    }

    /** Work requests in the send queue. */
    public static int maxSendWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SEND_WR_OFFSET);
    }

    public static void maxSendWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SEND_WR_OFFSET, value);
    }

    /** Receives in the receive queue. */
    public static int maxRecvWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RECV_WR_OFFSET);
    }

    public static void maxRecvWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RECV_WR_OFFSET, value);
    }

    /** Scatter-gather elements of a send. */
    public static int maxSendSge(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SEND_SGE_OFFSET);
    }

    public static void maxSendSge(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SEND_SGE_OFFSET, value);
    }

    /** Scatter-gather elements of a receive. */
    public static int maxRecvSge(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RECV_SGE_OFFSET);
    }

    public static void maxRecvSge(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RECV_SGE_OFFSET, value);
    }

    /** Bytes of inline data. */
    public static int maxInlineData(MemorySegment m, long at) {
        return m.get(U32, at + MAX_INLINE_DATA_OFFSET);
    }

    public static void maxInlineData(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_INLINE_DATA_OFFSET, value);
    }
}
