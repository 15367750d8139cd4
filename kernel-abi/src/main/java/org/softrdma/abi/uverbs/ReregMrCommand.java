// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Command REREG_MR, which changes a memory region.
 *
 * <p>Source: {@code struct ib_uverbs_rereg_mr}.
 */
public final class ReregMrCommand {
    /** Size in bytes. */
    public static final int BYTES = 48;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int MR_HANDLE_OFFSET = 8;
    /** u32. */
    public static final int FLAGS_OFFSET = 12;
    /** u64. */
    public static final int START_OFFSET = 16;
    /** u64. */
    public static final int LENGTH_OFFSET = 24;
    /** u64. */
    public static final int HCA_VA_OFFSET = 32;
    /** u32. */
    public static final int PD_HANDLE_OFFSET = 40;
    /** u32. */
    public static final int ACCESS_FLAGS_OFFSET = 44;

    private ReregMrCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Memory region. */
    public static int mrHandle(MemorySegment m, long at) {
        return m.get(U32, at + MR_HANDLE_OFFSET);
    }

    public static void mrHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + MR_HANDLE_OFFSET, value);
    }

    /** Parts to change, {@code enum ibv_rereg_mr_flags}: 1 translation, 2 protection domain, 4 access. */
    public static int flags(MemorySegment m, long at) {
        return m.get(U32, at + FLAGS_OFFSET);
    }

    public static void flags(MemorySegment m, long at, int value) {
        m.set(U32, at + FLAGS_OFFSET, value);
    }

    /** New address of the memory in the program. */
    public static long start(MemorySegment m, long at) {
        return m.get(U64, at + START_OFFSET);
    }

    public static void start(MemorySegment m, long at, long value) {
        m.set(U64, at + START_OFFSET, value);
    }

    /** New length in bytes, unsigned. */
    public static long length(MemorySegment m, long at) {
        return m.get(U64, at + LENGTH_OFFSET);
    }

    public static void length(MemorySegment m, long at, long value) {
        m.set(U64, at + LENGTH_OFFSET, value);
    }

    /** New address for work requests and peers. */
    public static long hcaVa(MemorySegment m, long at) {
        return m.get(U64, at + HCA_VA_OFFSET);
    }

    public static void hcaVa(MemorySegment m, long at, long value) {
        m.set(U64, at + HCA_VA_OFFSET, value);
    }

    /** New protection domain. */
    public static int pdHandle(MemorySegment m, long at) {
        return m.get(U32, at + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + PD_HANDLE_OFFSET, value);
    }

    /** New access. */
    public static int accessFlags(MemorySegment m, long at) {
        return m.get(U32, at + ACCESS_FLAGS_OFFSET);
    }

    public static void accessFlags(MemorySegment m, long at, int value) {
        m.set(U32, at + ACCESS_FLAGS_OFFSET, value);
    }
}
