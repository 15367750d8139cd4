// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Body of RESOLVE_ROUTE.
 *
 * <p>Source: {@code struct rdma_ucm_resolve_route}.
 */
public final class UcmResolveRoute {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u32. */
    public static final int TIMEOUT_MS_OFFSET = 4;

    private UcmResolveRoute() {
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** Milliseconds. */
    public static int timeoutMs(MemorySegment m, long at) {
        return m.get(U32, at + TIMEOUT_MS_OFFSET);
    }

    public static void timeoutMs(MemorySegment m, long at, int value) {
        m.set(U32, at + TIMEOUT_MS_OFFSET, value);
    }
}
