// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Scatter-gather element, the same for librxe, libsiw and ADVISE_MR.
 *
 * <p>Source: {@code struct rxe_sge}.
 */
public final class RxeElement {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int ADDR_OFFSET = 0;
    /** u32. */
    public static final int LENGTH_OFFSET = 8;
    /** u32. */
    public static final int LKEY_OFFSET = 12;

    private RxeElement() {
    }

    /** Address of the first byte. */
    public static long addr(MemorySegment m, long at) {
        return m.get(U64, at + ADDR_OFFSET);
    }

    public static void addr(MemorySegment m, long at, long value) {
        m.set(U64, at + ADDR_OFFSET, value);
    }

    /** Bytes, unsigned. */
    public static int length(MemorySegment m, long at) {
        return m.get(U32, at + LENGTH_OFFSET);
    }

    public static void length(MemorySegment m, long at, int value) {
        m.set(U32, at + LENGTH_OFFSET, value);
    }

    /** Key of the memory region. */
    public static int lkey(MemorySegment m, long at) {
        return m.get(U32, at + LKEY_OFFSET);
    }

    public static void lkey(MemorySegment m, long at, int value) {
        m.set(U32, at + LKEY_OFFSET, value);
    }
}
