// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Command ALLOC_MW.
 *
 * <p>Source: {@code struct ib_uverbs_alloc_mw}.
 */
public final class AllocMwCommand {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int PD_HANDLE_OFFSET = 8;
    /** u8. */
    public static final int MW_TYPE_OFFSET = 12;

    private AllocMwCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Protection domain. */
    public static int pdHandle(MemorySegment m, long at) {
        return m.get(U32, at + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + PD_HANDLE_OFFSET, value);
    }

    /** {@code enum ibv_mw_type}: 1 or 2. */
    public static int mwType(MemorySegment m, long at) {
        return m.get(U8, at + MW_TYPE_OFFSET) & 0xFF;
    }

    public static void mwType(MemorySegment m, long at, int value) {
        m.set(U8, at + MW_TYPE_OFFSET, (byte) value);
    }
}
