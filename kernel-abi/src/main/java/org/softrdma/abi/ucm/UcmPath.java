// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * One path in {@link UcmQueryPathResponse}: flags and a path record as on the wire.
 *
 * <p>Source: {@code struct ib_path_rec_data}.
 */
public final class UcmPath {
    /** Size in bytes. */
    public static final int BYTES = 72;
    /** u32. */
    public static final int FLAGS_OFFSET = 0;
    /** 64 bytes: {@link UcmPathRecord}. */
    public static final int PATH_REC_OFFSET = 8;
    /** Flags of the one path that RoCE has. */
    public static final int PRIMARY_BIDIRECTIONAL = 0x2B;

    private UcmPath() {
    }

    /** Bits of IB_PATH_*: 1 for management, 2 primary, 8 outbound, 32 inbound and reversed. */
    public static int flags(MemorySegment m, long at) {
        return m.get(U32, at + FLAGS_OFFSET);
    }

    public static void flags(MemorySegment m, long at, int value) {
        m.set(U32, at + FLAGS_OFFSET, value);
    }
}
