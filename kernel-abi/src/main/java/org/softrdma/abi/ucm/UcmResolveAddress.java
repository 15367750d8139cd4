// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Body of RESOLVE_ADDR.
 *
 * <p>Source: {@code struct rdma_ucm_resolve_addr}.
 */
public final class UcmResolveAddress {
    /** Size in bytes. */
    public static final int BYTES = 272;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u32. */
    public static final int TIMEOUT_MS_OFFSET = 4;
    /** u16. */
    public static final int SRC_SIZE_OFFSET = 8;
    /** u16. */
    public static final int DST_SIZE_OFFSET = 10;
    /** 128 bytes: own address. */
    public static final int SRC_ADDR_OFFSET = 16;
    /** 128 bytes: peer's address. */
    public static final int DST_ADDR_OFFSET = 144;

    private UcmResolveAddress() {
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

    /** Bytes of the own address; 0 for none. */
    public static int srcSize(MemorySegment m, long at) {
        return m.get(U16, at + SRC_SIZE_OFFSET) & 0xFFFF;
    }

    public static void srcSize(MemorySegment m, long at, int value) {
        m.set(U16, at + SRC_SIZE_OFFSET, (short) value);
    }

    /** Bytes of the peer's address. */
    public static int dstSize(MemorySegment m, long at) {
        return m.get(U16, at + DST_SIZE_OFFSET) & 0xFFFF;
    }

    public static void dstSize(MemorySegment m, long at, int value) {
        m.set(U16, at + DST_SIZE_OFFSET, (short) value);
    }
}
