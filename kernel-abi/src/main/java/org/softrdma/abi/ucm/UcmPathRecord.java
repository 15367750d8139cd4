// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.BE16;
import static org.softrdma.abi.AbiLayout.BE32;
import static org.softrdma.abi.AbiLayout.BE64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Path record as on the wire, big endian. IBA vol 1 §15.2.5.16.
 *
 * <p>Source: {@code struct ibv_path_record}.
 */
public final class UcmPathRecord {
    /** Size in bytes. */
    public static final int BYTES = 64;
    /** be64. */
    public static final int SERVICE_ID_OFFSET = 0;
    /** 16 bytes: peer's GID. */
    public static final int DGID_OFFSET = 8;
    /** 16 bytes: own GID. */
    public static final int SGID_OFFSET = 24;
    /** be16. */
    public static final int DLID_OFFSET = 40;
    /** be16. */
    public static final int SLID_OFFSET = 42;
    /** be32. */
    public static final int FLOWLABEL_HOPLIMIT_OFFSET = 44;
    /** u8. */
    public static final int TCLASS_OFFSET = 48;
    /** u8. */
    public static final int REVERSIBLE_NUMPATH_OFFSET = 49;
    /** be16. */
    public static final int PKEY_OFFSET = 50;
    /** be16. */
    public static final int QOSCLASS_SL_OFFSET = 52;
    /** u8. */
    public static final int MTU_OFFSET = 54;
    /** u8. */
    public static final int RATE_OFFSET = 55;
    /** u8. */
    public static final int PACKETLIFETIME_OFFSET = 56;
    /** u8. */
    public static final int PREFERENCE_OFFSET = 57;

    private UcmPathRecord() {
    }

    /** Service ID; 0. */
    public static long serviceId(MemorySegment m, long at) {
        return m.get(BE64, at + SERVICE_ID_OFFSET);
    }

    public static void serviceId(MemorySegment m, long at, long value) {
        m.set(BE64, at + SERVICE_ID_OFFSET, value);
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

    /** Flow label in bits 27:8, hop limit in bits 7:0. */
    public static int flowlabelHoplimit(MemorySegment m, long at) {
        return m.get(BE32, at + FLOWLABEL_HOPLIMIT_OFFSET);
    }

    public static void flowlabelHoplimit(MemorySegment m, long at, int value) {
        m.set(BE32, at + FLOWLABEL_HOPLIMIT_OFFSET, value);
    }

    /** Traffic class. */
    public static int tclass(MemorySegment m, long at) {
        return m.get(U8, at + TCLASS_OFFSET) & 0xFF;
    }

    public static void tclass(MemorySegment m, long at, int value) {
        m.set(U8, at + TCLASS_OFFSET, (byte) value);
    }

    /** Reversible in bit 7, number of paths in bits 6:0. */
    public static int reversibleNumpath(MemorySegment m, long at) {
        return m.get(U8, at + REVERSIBLE_NUMPATH_OFFSET) & 0xFF;
    }

    public static void reversibleNumpath(MemorySegment m, long at, int value) {
        m.set(U8, at + REVERSIBLE_NUMPATH_OFFSET, (byte) value);
    }

    /** Partition key. */
    public static int pkey(MemorySegment m, long at) {
        return m.get(BE16, at + PKEY_OFFSET) & 0xFFFF;
    }

    public static void pkey(MemorySegment m, long at, int value) {
        m.set(BE16, at + PKEY_OFFSET, (short) value);
    }

    /** QoS class in bits 15:4, service level in bits 3:0. */
    public static int qosclassSl(MemorySegment m, long at) {
        return m.get(BE16, at + QOSCLASS_SL_OFFSET) & 0xFFFF;
    }

    public static void qosclassSl(MemorySegment m, long at, int value) {
        m.set(BE16, at + QOSCLASS_SL_OFFSET, (short) value);
    }

    /** Comparison in bits 7:6 (2 is exactly), {@code enum ibv_mtu} in bits 5:0. */
    public static int mtu(MemorySegment m, long at) {
        return m.get(U8, at + MTU_OFFSET) & 0xFF;
    }

    public static void mtu(MemorySegment m, long at, int value) {
        m.set(U8, at + MTU_OFFSET, (byte) value);
    }

    /** Comparison in bits 7:6, {@code enum ibv_rate} in bits 5:0. */
    public static int rate(MemorySegment m, long at) {
        return m.get(U8, at + RATE_OFFSET) & 0xFF;
    }

    public static void rate(MemorySegment m, long at, int value) {
        m.set(U8, at + RATE_OFFSET, (byte) value);
    }

    /** Comparison in bits 7:6, 4.096 µs times a power of two in bits 5:0. */
    public static int packetlifetime(MemorySegment m, long at) {
        return m.get(U8, at + PACKETLIFETIME_OFFSET) & 0xFF;
    }

    public static void packetlifetime(MemorySegment m, long at, int value) {
        m.set(U8, at + PACKETLIFETIME_OFFSET, (byte) value);
    }

    /** Preference among paths. */
    public static int preference(MemorySegment m, long at) {
        return m.get(U8, at + PREFERENCE_OFFSET) & 0xFF;
    }

    public static void preference(MemorySegment m, long at, int value) {
        m.set(U8, at + PREFERENCE_OFFSET, (byte) value);
    }
}
