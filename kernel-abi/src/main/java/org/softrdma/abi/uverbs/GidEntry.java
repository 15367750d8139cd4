// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * One entry of the GID table, the answer to QUERY_GID_ENTRY and an element of the answer to QUERY_GID_TABLE.
 *
 * <p>Source: {@code struct ib_uverbs_gid_entry}.
 */
public final class GidEntry {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** 16 bytes: GID in network order. */
    public static final int GID_OFFSET = 0;
    /** u32. */
    public static final int GID_INDEX_OFFSET = 16;
    /** u32. */
    public static final int PORT_NUM_OFFSET = 20;
    /** u32. */
    public static final int GID_TYPE_OFFSET = 24;
    /** u32. */
    public static final int NETDEV_IFINDEX_OFFSET = 28;

    private GidEntry() {
    }

    /** Index in the table. */
    public static int gidIndex(MemorySegment m, long at) {
        return m.get(U32, at + GID_INDEX_OFFSET);
    }

    public static void gidIndex(MemorySegment m, long at, int value) {
        m.set(U32, at + GID_INDEX_OFFSET, value);
    }

    /** Port, from 1. */
    public static int portNum(MemorySegment m, long at) {
        return m.get(U32, at + PORT_NUM_OFFSET);
    }

    public static void portNum(MemorySegment m, long at, int value) {
        m.set(U32, at + PORT_NUM_OFFSET, value);
    }

    /** {@link UverbsValue#GID_TYPE_IB}, {@link UverbsValue#GID_TYPE_ROCE_V1} or {@link UverbsValue#GID_TYPE_ROCE_V2}. */
    public static int gidType(MemorySegment m, long at) {
        return m.get(U32, at + GID_TYPE_OFFSET);
    }

    public static void gidType(MemorySegment m, long at, int value) {
        m.set(U32, at + GID_TYPE_OFFSET, value);
    }

    /** Index of the network interface, 0 for none. */
    public static int netdevIfindex(MemorySegment m, long at) {
        return m.get(U32, at + NETDEV_IFINDEX_OFFSET);
    }

    public static void netdevIfindex(MemorySegment m, long at, int value) {
        m.set(U32, at + NETDEV_IFINDEX_OFFSET, value);
    }
}
