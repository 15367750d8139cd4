// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Body of RESOLVE_IP.
 *
 * <p>Source: {@code struct rdma_ucm_resolve_ip}.
 */
public final class UcmResolveIp {
    /** Size in bytes. */
    public static final int BYTES = 64;
    /** 28 bytes: own address, family 0 for none. */
    public static final int SRC_ADDR_OFFSET = 0;
    /** 28 bytes: peer's address. */
    public static final int DST_ADDR_OFFSET = 28;
    /** u32. */
    public static final int ID_OFFSET = 56;
    /** u32. */
    public static final int TIMEOUT_MS_OFFSET = 60;

    private UcmResolveIp() {
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
