// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Address of a peer in MODIFY_QP and QUERY_QP: the fields of {@link AhAttributes} in another order.
 *
 * <p>Source: {@code struct ib_uverbs_qp_dest}.
 */
public final class QpDestination {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** 16 bytes: GID of the peer in network order. */
    public static final int DGID_OFFSET = 0;
    /** u32. */
    public static final int FLOW_LABEL_OFFSET = 16;
    /** u16. */
    public static final int DLID_OFFSET = 20;
    /** u8. */
    public static final int SGID_INDEX_OFFSET = 24;
    /** u8. */
    public static final int HOP_LIMIT_OFFSET = 25;
    /** u8. */
    public static final int TRAFFIC_CLASS_OFFSET = 26;
    /** u8. */
    public static final int SL_OFFSET = 27;
    /** u8. */
    public static final int SRC_PATH_BITS_OFFSET = 28;
    /** u8. */
    public static final int STATIC_RATE_OFFSET = 29;
    /** u8. */
    public static final int IS_GLOBAL_OFFSET = 30;
    /** u8. */
    public static final int PORT_NUM_OFFSET = 31;

    private QpDestination() {
    }

    /** Flow label, u20. */
    public static int flowLabel(MemorySegment m, long at) {
        return m.get(U32, at + FLOW_LABEL_OFFSET);
    }

    public static void flowLabel(MemorySegment m, long at, int value) {
        m.set(U32, at + FLOW_LABEL_OFFSET, value);
    }

    /** LID of the peer; 0 on Ethernet. */
    public static int dlid(MemorySegment m, long at) {
        return m.get(U16, at + DLID_OFFSET) & 0xFFFF;
    }

    public static void dlid(MemorySegment m, long at, int value) {
        m.set(U16, at + DLID_OFFSET, (short) value);
    }

    /** Index of the own GID. */
    public static int sgidIndex(MemorySegment m, long at) {
        return m.get(U8, at + SGID_INDEX_OFFSET) & 0xFF;
    }

    public static void sgidIndex(MemorySegment m, long at, int value) {
        m.set(U8, at + SGID_INDEX_OFFSET, (byte) value);
    }

    /** Hop limit of IP packets. */
    public static int hopLimit(MemorySegment m, long at) {
        return m.get(U8, at + HOP_LIMIT_OFFSET) & 0xFF;
    }

    public static void hopLimit(MemorySegment m, long at, int value) {
        m.set(U8, at + HOP_LIMIT_OFFSET, (byte) value);
    }

    /** Traffic class of IP packets. */
    public static int trafficClass(MemorySegment m, long at) {
        return m.get(U8, at + TRAFFIC_CLASS_OFFSET) & 0xFF;
    }

    public static void trafficClass(MemorySegment m, long at, int value) {
        m.set(U8, at + TRAFFIC_CLASS_OFFSET, (byte) value);
    }

    /** Service level, 0..15. */
    public static int sl(MemorySegment m, long at) {
        return m.get(U8, at + SL_OFFSET) & 0xFF;
    }

    public static void sl(MemorySegment m, long at, int value) {
        m.set(U8, at + SL_OFFSET, (byte) value);
    }

    /** Low bits of the own LID; 0 on Ethernet. */
    public static int srcPathBits(MemorySegment m, long at) {
        return m.get(U8, at + SRC_PATH_BITS_OFFSET) & 0xFF;
    }

    public static void srcPathBits(MemorySegment m, long at, int value) {
        m.set(U8, at + SRC_PATH_BITS_OFFSET, (byte) value);
    }

    /** Rate limit, {@code enum ibv_rate}. */
    public static int staticRate(MemorySegment m, long at) {
        return m.get(U8, at + STATIC_RATE_OFFSET) & 0xFF;
    }

    public static void staticRate(MemorySegment m, long at, int value) {
        m.set(U8, at + STATIC_RATE_OFFSET, (byte) value);
    }

    /** 1 if the GID is valid, as it must be on Ethernet. */
    public static int isGlobal(MemorySegment m, long at) {
        return m.get(U8, at + IS_GLOBAL_OFFSET) & 0xFF;
    }

    public static void isGlobal(MemorySegment m, long at, int value) {
        m.set(U8, at + IS_GLOBAL_OFFSET, (byte) value);
    }

    /** Own port, from 1. */
    public static int portNum(MemorySegment m, long at) {
        return m.get(U8, at + PORT_NUM_OFFSET) & 0xFF;
    }

    public static void portNum(MemorySegment m, long at, int value) {
        m.set(U8, at + PORT_NUM_OFFSET, (byte) value);
    }
}
