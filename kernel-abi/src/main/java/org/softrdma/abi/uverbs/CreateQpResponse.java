// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to OPEN_QP.
 *
 * <p>Source: {@code struct ib_uverbs_create_qp_resp}.
 */
public final class CreateQpResponse {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** u32. */
    public static final int QP_HANDLE_OFFSET = 0;
    /** u32. */
    public static final int QPN_OFFSET = 4;
    /** u32. */
    public static final int MAX_SEND_WR_OFFSET = 8;
    /** u32. */
    public static final int MAX_RECV_WR_OFFSET = 12;
    /** u32. */
    public static final int MAX_SEND_SGE_OFFSET = 16;
    /** u32. */
    public static final int MAX_RECV_SGE_OFFSET = 20;
    /** u32. */
    public static final int MAX_INLINE_DATA_OFFSET = 24;

    private CreateQpResponse() {
    }

    /** Handle of the queue pair. */
    public static int qpHandle(MemorySegment m, long at) {
        return m.get(U32, at + QP_HANDLE_OFFSET);
    }

    public static void qpHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_HANDLE_OFFSET, value);
    }

    /** Number of the queue pair, u24. */
    public static int qpn(MemorySegment m, long at) {
        return m.get(U32, at + QPN_OFFSET);
    }

    public static void qpn(MemorySegment m, long at, int value) {
        m.set(U32, at + QPN_OFFSET, value);
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
