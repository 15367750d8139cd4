// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Command REG_MR.
 *
 * <p>Source: {@code struct ib_uverbs_reg_mr}.
 */
public final class RegMrCommand {
    /** Size in bytes. */
    public static final int BYTES = 40;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u64. */
    public static final int START_OFFSET = 8;
    /** u64. */
    public static final int LENGTH_OFFSET = 16;
    /** u64. */
    public static final int HCA_VA_OFFSET = 24;
    /** u32. */
    public static final int PD_HANDLE_OFFSET = 32;
    /** u32. */
    public static final int ACCESS_FLAGS_OFFSET = 36;

    private RegMrCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Address of the memory in the program. */
    public static long start(MemorySegment m, long at) {
        return m.get(U64, at + START_OFFSET);
    }

    public static void start(MemorySegment m, long at, long value) {
        m.set(U64, at + START_OFFSET, value);
    }

    /** Bytes, unsigned; with {@code start} 0 and all ones it is implicit on-demand paging. */
    public static long length(MemorySegment m, long at) {
        return m.get(U64, at + LENGTH_OFFSET);
    }

    public static void length(MemorySegment m, long at, long value) {
        m.set(U64, at + LENGTH_OFFSET, value);
    }

    /** Address that work requests and peers use for the first byte. */
    public static long hcaVa(MemorySegment m, long at) {
        return m.get(U64, at + HCA_VA_OFFSET);
    }

    public static void hcaVa(MemorySegment m, long at, long value) {
        m.set(U64, at + HCA_VA_OFFSET, value);
    }

    /** Protection domain. */
    public static int pdHandle(MemorySegment m, long at) {
        return m.get(U32, at + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + PD_HANDLE_OFFSET, value);
    }

    /** Bits of {@code enum ib_uverbs_access_flags}. */
    public static int accessFlags(MemorySegment m, long at) {
        return m.get(U32, at + ACCESS_FLAGS_OFFSET);
    }

    public static void accessFlags(MemorySegment m, long at, int value) {
        m.set(U32, at + ACCESS_FLAGS_OFFSET, value);
    }
}
