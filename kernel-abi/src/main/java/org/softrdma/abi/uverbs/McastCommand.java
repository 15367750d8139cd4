// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Commands ATTACH_MCAST and DETACH_MCAST, which have no answer.
 *
 * <p>Source: {@code struct ib_uverbs_attach_mcast}.
 */
public final class McastCommand {
    /** Size in bytes. */
    public static final int BYTES = 24;
    /** 16 bytes: multicast GID in network order. */
    public static final int GID_OFFSET = 0;
    /** u32. */
    public static final int QP_HANDLE_OFFSET = 16;
    /** u16. */
    public static final int MLID_OFFSET = 20;

    private McastCommand() {
    }

    /** Queue pair. */
    public static int qpHandle(MemorySegment m, long at) {
        return m.get(U32, at + QP_HANDLE_OFFSET);
    }

    public static void qpHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_HANDLE_OFFSET, value);
    }

    /** Multicast LID; unused on Ethernet. */
    public static int mlid(MemorySegment m, long at) {
        return m.get(U16, at + MLID_OFFSET) & 0xFFFF;
    }

    public static void mlid(MemorySegment m, long at, int value) {
        m.set(U16, at + MLID_OFFSET, (short) value);
    }
}
