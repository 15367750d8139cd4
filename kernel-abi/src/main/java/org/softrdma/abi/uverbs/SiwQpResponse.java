// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Driver output of QP_CREATE for libsiw.
 *
 * <p>Source: {@code struct siw_uresp_create_qp}.
 */
public final class SiwQpResponse {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** u32. */
    public static final int QP_ID_OFFSET = 0;
    /** u32. */
    public static final int NUM_SQE_OFFSET = 4;
    /** u32. */
    public static final int NUM_RQE_OFFSET = 8;
    /** u64. */
    public static final int SQ_KEY_OFFSET = 16;
    /** u64. */
    public static final int RQ_KEY_OFFSET = 24;

    private SiwQpResponse() {
    }

    /** Number of the queue pair. */
    public static int qpId(MemorySegment m, long at) {
        return m.get(U32, at + QP_ID_OFFSET);
    }

    public static void qpId(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_ID_OFFSET, value);
    }

    /** Entries of the send queue. */
    public static int numSqe(MemorySegment m, long at) {
        return m.get(U32, at + NUM_SQE_OFFSET);
    }

    public static void numSqe(MemorySegment m, long at, int value) {
        m.set(U32, at + NUM_SQE_OFFSET, value);
    }

    /** Entries of the receive queue. */
    public static int numRqe(MemorySegment m, long at) {
        return m.get(U32, at + NUM_RQE_OFFSET);
    }

    public static void numRqe(MemorySegment m, long at, int value) {
        m.set(U32, at + NUM_RQE_OFFSET, value);
    }

    /** Offset for mmap of the send queue. */
    public static long sqKey(MemorySegment m, long at) {
        return m.get(U64, at + SQ_KEY_OFFSET);
    }

    public static void sqKey(MemorySegment m, long at, long value) {
        m.set(U64, at + SQ_KEY_OFFSET, value);
    }

    /** Offset for mmap of the receive queue, or 0 with a shared one; libsiw takes {@link UverbsValue#SIW_INVALID_KEY} for a failure. */
    public static long rqKey(MemorySegment m, long at) {
        return m.get(U64, at + RQ_KEY_OFFSET);
    }

    public static void rqKey(MemorySegment m, long at, long value) {
        m.set(U64, at + RQ_KEY_OFFSET, value);
    }
}
