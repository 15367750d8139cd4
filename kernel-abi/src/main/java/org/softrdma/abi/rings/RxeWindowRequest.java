// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Fields of a bind of a memory window within a {@link RxeSendRecord}.
 *
 * <p>Source: {@code struct rxe_send_wqe}.
 */
public final class RxeWindowRequest {
    /** Size in bytes. */
    public static final int BYTES = 208;
    /** u64. */
    public static final int ADDR_OFFSET = 24;
    /** u64. */
    public static final int LENGTH_OFFSET = 32;
    /** u32. */
    public static final int MR_LKEY_OFFSET = 40;
    /** u32. */
    public static final int MW_RKEY_OFFSET = 44;
    /** u32. */
    public static final int RKEY_OFFSET = 48;
    /** u32. */
    public static final int ACCESS_OFFSET = 52;

    private RxeWindowRequest() {
    }

    /** First address of the window. */
    public static long addr(MemorySegment m, long at) {
        return m.get(U64, at + ADDR_OFFSET);
    }

    public static void addr(MemorySegment m, long at, long value) {
        m.set(U64, at + ADDR_OFFSET, value);
    }

    /** Bytes, unsigned; 0 unbinds a window of type 1. */
    public static long length(MemorySegment m, long at) {
        return m.get(U64, at + LENGTH_OFFSET);
    }

    public static void length(MemorySegment m, long at, long value) {
        m.set(U64, at + LENGTH_OFFSET, value);
    }

    /** Local key of the memory region. */
    public static int mrLkey(MemorySegment m, long at) {
        return m.get(U32, at + MR_LKEY_OFFSET);
    }

    public static void mrLkey(MemorySegment m, long at, int value) {
        m.set(U32, at + MR_LKEY_OFFSET, value);
    }

    /** Key of the window before. */
    public static int mwRkey(MemorySegment m, long at) {
        return m.get(U32, at + MW_RKEY_OFFSET);
    }

    public static void mwRkey(MemorySegment m, long at, int value) {
        m.set(U32, at + MW_RKEY_OFFSET, value);
    }

    /** Key of the window after. */
    public static int rkey(MemorySegment m, long at) {
        return m.get(U32, at + RKEY_OFFSET);
    }

    public static void rkey(MemorySegment m, long at, int value) {
        m.set(U32, at + RKEY_OFFSET, value);
    }

    /** Access of the window. */
    public static int access(MemorySegment m, long at) {
        return m.get(U32, at + ACCESS_OFFSET);
    }

    public static void access(MemorySegment m, long at, int value) {
        m.set(U32, at + ACCESS_OFFSET, value);
    }
}
