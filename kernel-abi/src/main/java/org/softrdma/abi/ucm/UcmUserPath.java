// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.BE16;
import static org.softrdma.abi.AbiLayout.BE32;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Path record in the answer to QUERY_ROUTE: numbers in fields of their own.
 *
 * <p>Source: {@code struct ib_user_path_rec}.
 */
public final class UcmUserPath {
    /** Size in bytes. */
    public static final int BYTES = 64;
    /** 16 bytes: peer's GID. */
    public static final int DGID_OFFSET = 0;
    /** 16 bytes: own GID. */
    public static final int SGID_OFFSET = 16;
    /** be16. */
    public static final int DLID_OFFSET = 32;
    /** be16. */
    public static final int SLID_OFFSET = 34;
    /** u32. */
    public static final int RAW_TRAFFIC_OFFSET = 36;
    /** be32. */
    public static final int FLOW_LABEL_OFFSET = 40;
    /** u32. */
    public static final int REVERSIBLE_OFFSET = 44;
    /** u32. */
    public static final int MTU_OFFSET = 48;
    /** be16. */
    public static final int PKEY_OFFSET = 52;
    /** u8. */
    public static final int HOP_LIMIT_OFFSET = 54;
    /** u8. */
    public static final int TRAFFIC_CLASS_OFFSET = 55;
    /** u8. */
    public static final int NUMB_PATH_OFFSET = 56;
    /** u8. */
    public static final int SL_OFFSET = 57;
    /** u8. */
    public static final int MTU_SELECTOR_OFFSET = 58;
    /** u8. */
    public static final int RATE_SELECTOR_OFFSET = 59;
    /** u8. */
    public static final int RATE_OFFSET = 60;
    /** u8. */
    public static final int PACKET_LIFE_TIME_SELECTOR_OFFSET = 61;
    /** u8. */
    public static final int PACKET_LIFE_TIME_OFFSET = 62;
    /** u8. */
    public static final int PREFERENCE_OFFSET = 63;

    private UcmUserPath() {
    }

    /** Peer's LID. */
    public static int dlid(MemorySegment m, long at) {
        return m.get(BE16, at + DLID_OFFSET) & 0xFFFF;
    }

    public static void dlid(MemorySegment m, long at, int value) {
        m.set(BE16, at + DLID_OFFSET, (short) value);
    }

    /** Own LID. */
    public static int slid(MemorySegment m, long at) {
        return m.get(BE16, at + SLID_OFFSET) & 0xFFFF;
    }

    public static void slid(MemorySegment m, long at, int value) {
        m.set(BE16, at + SLID_OFFSET, (short) value);
    }

    /** 1 for raw traffic. */
    public static int rawTraffic(MemorySegment m, long at) {
        return m.get(U32, at + RAW_TRAFFIC_OFFSET);
    }

    public static void rawTraffic(MemorySegment m, long at, int value) {
        m.set(U32, at + RAW_TRAFFIC_OFFSET, value);
    }

    /** Flow label, u20. */
    public static int flowLabel(MemorySegment m, long at) {
        return m.get(BE32, at + FLOW_LABEL_OFFSET);
    }

    public static void flowLabel(MemorySegment m, long at, int value) {
        m.set(BE32, at + FLOW_LABEL_OFFSET, value);
    }

    /** 1 if the path works both ways. */
    public static int reversible(MemorySegment m, long at) {
        return m.get(U32, at + REVERSIBLE_OFFSET);
    }

    public static void reversible(MemorySegment m, long at, int value) {
        m.set(U32, at + REVERSIBLE_OFFSET, value);
    }

    /** {@code enum ibv_mtu}. */
    public static int mtu(MemorySegment m, long at) {
        return m.get(U32, at + MTU_OFFSET);
    }

    public static void mtu(MemorySegment m, long at, int value) {
        m.set(U32, at + MTU_OFFSET, value);
    }

    /** Partition key. */
    public static int pkey(MemorySegment m, long at) {
        return m.get(BE16, at + PKEY_OFFSET) & 0xFFFF;
    }

    public static void pkey(MemorySegment m, long at, int value) {
        m.set(BE16, at + PKEY_OFFSET, (short) value);
    }

    /** Hop limit. */
    public static int hopLimit(MemorySegment m, long at) {
        return m.get(U8, at + HOP_LIMIT_OFFSET) & 0xFF;
    }

    public static void hopLimit(MemorySegment m, long at, int value) {
        m.set(U8, at + HOP_LIMIT_OFFSET, (byte) value);
    }

    /** Traffic class. */
    public static int trafficClass(MemorySegment m, long at) {
        return m.get(U8, at + TRAFFIC_CLASS_OFFSET) & 0xFF;
    }

    public static void trafficClass(MemorySegment m, long at, int value) {
        m.set(U8, at + TRAFFIC_CLASS_OFFSET, (byte) value);
    }

    /** Number of paths, 1. */
    public static int numbPath(MemorySegment m, long at) {
        return m.get(U8, at + NUMB_PATH_OFFSET) & 0xFF;
    }

    public static void numbPath(MemorySegment m, long at, int value) {
        m.set(U8, at + NUMB_PATH_OFFSET, (byte) value);
    }

    /** Service level. */
    public static int sl(MemorySegment m, long at) {
        return m.get(U8, at + SL_OFFSET) & 0xFF;
    }

    public static void sl(MemorySegment m, long at, int value) {
        m.set(U8, at + SL_OFFSET, (byte) value);
    }

    /** Comparison for the MTU: 2 is exactly. */
    public static int mtuSelector(MemorySegment m, long at) {
        return m.get(U8, at + MTU_SELECTOR_OFFSET) & 0xFF;
    }

    public static void mtuSelector(MemorySegment m, long at, int value) {
        m.set(U8, at + MTU_SELECTOR_OFFSET, (byte) value);
    }

    /** Comparison for the rate. */
    public static int rateSelector(MemorySegment m, long at) {
        return m.get(U8, at + RATE_SELECTOR_OFFSET) & 0xFF;
    }

    public static void rateSelector(MemorySegment m, long at, int value) {
        m.set(U8, at + RATE_SELECTOR_OFFSET, (byte) value);
    }

    /** {@code enum ibv_rate}. */
    public static int rate(MemorySegment m, long at) {
        return m.get(U8, at + RATE_OFFSET) & 0xFF;
    }

    public static void rate(MemorySegment m, long at, int value) {
        m.set(U8, at + RATE_OFFSET, (byte) value);
    }

    /** Comparison for the lifetime. */
    public static int packetLifeTimeSelector(MemorySegment m, long at) {
        return m.get(U8, at + PACKET_LIFE_TIME_SELECTOR_OFFSET) & 0xFF;
    }

    public static void packetLifeTimeSelector(MemorySegment m, long at, int value) {
        m.set(U8, at + PACKET_LIFE_TIME_SELECTOR_OFFSET, (byte) value);
    }

    /** Lifetime, 4.096 µs times a power of two. */
    public static int packetLifeTime(MemorySegment m, long at) {
        return m.get(U8, at + PACKET_LIFE_TIME_OFFSET) & 0xFF;
    }

    public static void packetLifeTime(MemorySegment m, long at, int value) {
        m.set(U8, at + PACKET_LIFE_TIME_OFFSET, (byte) value);
    }

    /** Preference among paths. */
    public static int preference(MemorySegment m, long at) {
        return m.get(U8, at + PREFERENCE_OFFSET) & 0xFF;
    }

    public static void preference(MemorySegment m, long at, int value) {
        m.set(U8, at + PREFERENCE_OFFSET, (byte) value);
    }
}
