// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Body of NOTIFY.
 *
 * <p>Source: {@code struct rdma_ucm_notify}.
 */
public final class UcmNotify {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u32. */
    public static final int EVENT_OFFSET = 4;

    private UcmNotify() {
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** {@code enum ibv_event_type}: 4, communication established. */
    public static int event(MemorySegment m, long at) {
        return m.get(U32, at + EVENT_OFFSET);
    }

    public static void event(MemorySegment m, long at, int value) {
        m.set(U32, at + EVENT_OFFSET, value);
    }
}
