// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Body of LISTEN.
 *
 * <p>Source: {@code struct rdma_ucm_listen}.
 */
public final class UcmListen {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u32. */
    public static final int BACKLOG_OFFSET = 4;

    private UcmListen() {
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** Requests that may wait; the kernel takes 1024 for 0 and for more. */
    public static int backlog(MemorySegment m, long at) {
        return m.get(U32, at + BACKLOG_OFFSET);
    }

    public static void backlog(MemorySegment m, long at, int value) {
        m.set(U32, at + BACKLOG_OFFSET, value);
    }
}
