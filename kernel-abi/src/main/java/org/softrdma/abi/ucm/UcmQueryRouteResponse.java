// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.BE64;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Answer to QUERY_ROUTE.
 *
 * <p>Source: {@code struct rdma_ucm_query_route_resp}.
 */
public final class UcmQueryRouteResponse {
    /** Size in bytes. */
    public static final int BYTES = 208;
    /** be64. */
    public static final int NODE_GUID_OFFSET = 0;
    /** {@link UcmUserPath}: first of two paths. */
    public static final int IB_ROUTE_OFFSET = 8;
    /** 28 bytes: own address. */
    public static final int SRC_ADDR_OFFSET = 136;
    /** 28 bytes: peer's address. */
    public static final int DST_ADDR_OFFSET = 164;
    /** u32. */
    public static final int NUM_PATHS_OFFSET = 192;
    /** u8. */
    public static final int PORT_NUM_OFFSET = 196;
    /** u32. */
    public static final int IBDEV_INDEX_OFFSET = 200;

    private UcmQueryRouteResponse() {
    }

    /** GUID of the device, 0 while the identifier is not bound to one. */
    public static long nodeGuid(MemorySegment m, long at) {
        return m.get(BE64, at + NODE_GUID_OFFSET);
    }

    public static void nodeGuid(MemorySegment m, long at, long value) {
        m.set(BE64, at + NODE_GUID_OFFSET, value);
    }

    /** Paths that are valid, 0..2. */
    public static int numPaths(MemorySegment m, long at) {
        return m.get(U32, at + NUM_PATHS_OFFSET);
    }

    public static void numPaths(MemorySegment m, long at, int value) {
        m.set(U32, at + NUM_PATHS_OFFSET, value);
    }

    /** Port, from 1. */
    public static int portNum(MemorySegment m, long at) {
        return m.get(U8, at + PORT_NUM_OFFSET) & 0xFF;
    }

    public static void portNum(MemorySegment m, long at, int value) {
        m.set(U8, at + PORT_NUM_OFFSET, (byte) value);
    }

    /** Index of the device, or all ones: librdmacm then finds it by GUID. */
    public static int ibdevIndex(MemorySegment m, long at) {
        return m.get(U32, at + IBDEV_INDEX_OFFSET);
    }

    public static void ibdevIndex(MemorySegment m, long at, int value) {
        m.set(U32, at + IBDEV_INDEX_OFFSET, value);
    }
}
