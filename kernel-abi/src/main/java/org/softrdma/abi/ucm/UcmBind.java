// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Body of BIND.
 *
 * <p>Source: {@code struct rdma_ucm_bind}.
 */
public final class UcmBind {
    /** Size in bytes. */
    public static final int BYTES = 136;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u16. */
    public static final int ADDR_SIZE_OFFSET = 4;
    /** 128 bytes: address, see {@link UcmSockaddr}. */
    public static final int ADDR_OFFSET = 8;

    private UcmBind() {
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** Bytes of the address. */
    public static int addrSize(MemorySegment m, long at) {
        return m.get(U16, at + ADDR_SIZE_OFFSET) & 0xFFFF;
    }

    public static void addrSize(MemorySegment m, long at, int value) {
        m.set(U16, at + ADDR_SIZE_OFFSET, (short) value);
    }
}
