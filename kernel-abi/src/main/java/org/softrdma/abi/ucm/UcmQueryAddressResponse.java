// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.BE64;
import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Answer to QUERY with {@link UcmQuery#ADDRESS} or {@link UcmQuery#GID}.
 *
 * <p>Source: {@code struct rdma_ucm_query_addr_resp}.
 */
public final class UcmQueryAddressResponse {
    /** Size in bytes. */
    public static final int BYTES = 280;
    /** be64. */
    public static final int NODE_GUID_OFFSET = 0;
    /** u8. */
    public static final int PORT_NUM_OFFSET = 8;
    /** u16. */
    public static final int PKEY_OFFSET = 10;
    /** u16. */
    public static final int SRC_SIZE_OFFSET = 12;
    /** u16. */
    public static final int DST_SIZE_OFFSET = 14;
    /** 128 bytes: own address. */
    public static final int SRC_ADDR_OFFSET = 16;
    /** 128 bytes: peer's address. */
    public static final int DST_ADDR_OFFSET = 144;
    /** u32. */
    public static final int IBDEV_INDEX_OFFSET = 272;

    private UcmQueryAddressResponse() {
    }

    /** GUID of the device, 0 while the identifier is not bound to one. */
    public static long nodeGuid(MemorySegment m, long at) {
        return m.get(BE64, at + NODE_GUID_OFFSET);
    }

    public static void nodeGuid(MemorySegment m, long at, long value) {
        m.set(BE64, at + NODE_GUID_OFFSET, value);
    }

    /** Port, from 1. */
    public static int portNum(MemorySegment m, long at) {
        return m.get(U8, at + PORT_NUM_OFFSET) & 0xFF;
    }

    public static void portNum(MemorySegment m, long at, int value) {
        m.set(U8, at + PORT_NUM_OFFSET, (byte) value);
    }

    /** Partition key in network order, with {@link UcmQuery#GID}. */
    public static int pkey(MemorySegment m, long at) {
        return m.get(U16, at + PKEY_OFFSET) & 0xFFFF;
    }

    public static void pkey(MemorySegment m, long at, int value) {
        m.set(U16, at + PKEY_OFFSET, (short) value);
    }

    /** Bytes of the own address. */
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

    /** Index of the device, or all ones: librdmacm then finds it by GUID. */
    public static int ibdevIndex(MemorySegment m, long at) {
        return m.get(U32, at + IBDEV_INDEX_OFFSET);
    }

    public static void ibdevIndex(MemorySegment m, long at, int value) {
        m.set(U32, at + IBDEV_INDEX_OFFSET, value);
    }
}
