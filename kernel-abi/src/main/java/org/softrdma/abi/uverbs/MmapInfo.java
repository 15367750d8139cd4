// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Place of a shared ring in the uverbs descriptor. librxe maps it; it is the whole driver output (UHW_OUT) of CQ_CREATE and RESIZE_CQ.
 *
 * <p>Source: {@code struct mminfo}.
 */
public final class MmapInfo {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int OFFSET_OFFSET = 0;
    /** u32. */
    public static final int SIZE_OFFSET = 8;

    private MmapInfo() {
    }

    /** Offset for mmap, a multiple of the page size. */
    public static long offset(MemorySegment m, long at) {
        return m.get(U64, at + OFFSET_OFFSET);
    }

    public static void offset(MemorySegment m, long at, long value) {
        m.set(U64, at + OFFSET_OFFSET, value);
    }

    /** Bytes to map. */
    public static int size(MemorySegment m, long at) {
        return m.get(U32, at + SIZE_OFFSET);
    }

    public static void size(MemorySegment m, long at, int value) {
        m.set(U32, at + SIZE_OFFSET, value);
    }
}
