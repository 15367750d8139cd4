// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Body of SET_OPTION.
 *
 * <p>Source: {@code struct rdma_ucm_set_option}.
 */
public final class UcmSetOption {
    /** Size in bytes. */
    public static final int BYTES = 24;
    /** u64. */
    public static final int OPTVAL_OFFSET = 0;
    /** u32. */
    public static final int ID_OFFSET = 8;
    /** u32. */
    public static final int LEVEL_OFFSET = 12;
    /** u32. */
    public static final int OPTNAME_OFFSET = 16;
    /** u32. */
    public static final int OPTLEN_OFFSET = 20;
    /** Level of options of the identifier. */
    public static final int LEVEL_ID = 0;
    /** Level of options of InfiniBand. */
    public static final int LEVEL_IB = 1;
    /** Type of service of IP packets, one byte. */
    public static final int ID_TOS = 0;
    /** As SO_REUSEADDR, 4 bytes. */
    public static final int ID_REUSEADDR = 1;
    /** As IPV6_V6ONLY, 4 bytes. */
    public static final int ID_AFONLY = 2;
    /** Wait for acknowledgements, one byte, 4.096 µs times a power of two. */
    public static final int ID_ACK_TIMEOUT = 3;
    /** Path records, {@link UcmPath} each. */
    public static final int IB_PATH = 1;

    private UcmSetOption() {
    }

    /** Address of the value in the program. */
    public static long optval(MemorySegment m, long at) {
        return m.get(U64, at + OPTVAL_OFFSET);
    }

    public static void optval(MemorySegment m, long at, long value) {
        m.set(U64, at + OPTVAL_OFFSET, value);
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** {@link #LEVEL_ID} or {@link #LEVEL_IB}. */
    public static int level(MemorySegment m, long at) {
        return m.get(U32, at + LEVEL_OFFSET);
    }

    public static void level(MemorySegment m, long at, int value) {
        m.set(U32, at + LEVEL_OFFSET, value);
    }

    /** Option of the level, for example {@link #ID_REUSEADDR}. */
    public static int optname(MemorySegment m, long at) {
        return m.get(U32, at + OPTNAME_OFFSET);
    }

    public static void optname(MemorySegment m, long at, int value) {
        m.set(U32, at + OPTNAME_OFFSET, value);
    }

    /** Bytes of the value, unsigned. */
    public static int optlen(MemorySegment m, long at) {
        return m.get(U32, at + OPTLEN_OFFSET);
    }

    public static void optlen(MemorySegment m, long at, int value) {
        m.set(U32, at + OPTLEN_OFFSET, value);
    }
}
