// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Receive in librxe's ring. Written by the program: nothing in it can be trusted.
 *
 * <p>Source: {@code struct rxe_recv_wqe}.
 */
public final class RxeReceiveRecord {
    /** Size in bytes. */
    public static final int BYTES = 40;
    /** u64. */
    public static final int WR_ID_OFFSET = 0;
    /** u32. */
    public static final int LENGTH_OFFSET = 16;
    /** u32. */
    public static final int RESID_OFFSET = 20;
    /** u32. */
    public static final int CUR_SGE_OFFSET = 24;
    /** u32. */
    public static final int NUM_SGE_OFFSET = 28;
    /** u32. */
    public static final int SGE_OFFSET_OFFSET = 32;
    /** {@link RxeElement}: first of the scatter-gather elements; outside of the record's fixed part. */
    public static final int SGE_OFFSET = 40;

    private RxeReceiveRecord() {
    }

    /** Program's identifier. */
    public static long wrId(MemorySegment m, long at) {
        return m.get(U64, at + WR_ID_OFFSET);
    }

    public static void wrId(MemorySegment m, long at, long value) {
        m.set(U64, at + WR_ID_OFFSET, value);
    }

    /** Bytes of all elements, unsigned. */
    public static int length(MemorySegment m, long at) {
        return m.get(U32, at + LENGTH_OFFSET);
    }

    public static void length(MemorySegment m, long at, int value) {
        m.set(U32, at + LENGTH_OFFSET, value);
    }

    /** Bytes still free: the length at first. */
    public static int resid(MemorySegment m, long at) {
        return m.get(U32, at + RESID_OFFSET);
    }

    public static void resid(MemorySegment m, long at, int value) {
        m.set(U32, at + RESID_OFFSET, value);
    }

    /** Element in work: 0 at first. */
    public static int curSge(MemorySegment m, long at) {
        return m.get(U32, at + CUR_SGE_OFFSET);
    }

    public static void curSge(MemorySegment m, long at, int value) {
        m.set(U32, at + CUR_SGE_OFFSET, value);
    }

    /** Number of scatter-gather elements. */
    public static int numSge(MemorySegment m, long at) {
        return m.get(U32, at + NUM_SGE_OFFSET);
    }

    public static void numSge(MemorySegment m, long at, int value) {
        m.set(U32, at + NUM_SGE_OFFSET, value);
    }

    /** Offset in the element in work: 0 at first. */
    public static int sgeOffset(MemorySegment m, long at) {
        return m.get(U32, at + SGE_OFFSET_OFFSET);
    }

    public static void sgeOffset(MemorySegment m, long at, int value) {
        m.set(U32, at + SGE_OFFSET_OFFSET, value);
    }
}
