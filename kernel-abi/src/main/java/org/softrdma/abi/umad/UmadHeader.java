// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.umad;

import static org.softrdma.abi.AbiLayout.BE16;
import static org.softrdma.abi.AbiLayout.BE32;
import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Head of a management datagram that is read or written: where it goes, or came from.
 *
 * <p>Source: {@code struct ib_user_mad_hdr}.
 */
public final class UmadHeader {
    /** Size in bytes. */
    public static final int BYTES = 64;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u32. */
    public static final int STATUS_OFFSET = 4;
    /** u32. */
    public static final int TIMEOUT_MS_OFFSET = 8;
    /** u32. */
    public static final int RETRIES_OFFSET = 12;
    /** u32. */
    public static final int LENGTH_OFFSET = 16;
    /** be32. */
    public static final int QPN_OFFSET = 20;
    /** be32. */
    public static final int QKEY_OFFSET = 24;
    /** be16. */
    public static final int LID_OFFSET = 28;
    /** u8. */
    public static final int SL_OFFSET = 30;
    /** u8. */
    public static final int PATH_BITS_OFFSET = 31;
    /** u8. */
    public static final int GRH_PRESENT_OFFSET = 32;
    /** u8. */
    public static final int GID_INDEX_OFFSET = 33;
    /** u8. */
    public static final int HOP_LIMIT_OFFSET = 34;
    /** u8. */
    public static final int TRAFFIC_CLASS_OFFSET = 35;
    /** 16 bytes: the peer's GID. */
    public static final int GID_OFFSET = 36;
    /** be32. */
    public static final int FLOW_LABEL_OFFSET = 52;
    /** u16. */
    public static final int PKEY_INDEX_OFFSET = 56;
    /** Size without the index of the partition key and what follows, for programs that have not enabled it. */
    public static final int OLD_BYTES = 56;

    private UmadHeader() {
    }

    /** Agent of the file. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** 0, or the errno why the datagram comes back: ETIMEDOUT for a request without an answer. */
    public static int status(MemorySegment m, long at) {
        return m.get(U32, at + STATUS_OFFSET);
    }

    public static void status(MemorySegment m, long at, int value) {
        m.set(U32, at + STATUS_OFFSET, value);
    }

    /** Milliseconds to wait for an answer; 0 for no answer. */
    public static int timeoutMs(MemorySegment m, long at) {
        return m.get(U32, at + TIMEOUT_MS_OFFSET);
    }

    public static void timeoutMs(MemorySegment m, long at, int value) {
        m.set(U32, at + TIMEOUT_MS_OFFSET, value);
    }

    /** Repetitions of a request without an answer. */
    public static int retries(MemorySegment m, long at) {
        return m.get(U32, at + RETRIES_OFFSET);
    }

    public static void retries(MemorySegment m, long at, int value) {
        m.set(U32, at + RETRIES_OFFSET, value);
    }

    /** Bytes of a received datagram and its header. */
    public static int length(MemorySegment m, long at) {
        return m.get(U32, at + LENGTH_OFFSET);
    }

    public static void length(MemorySegment m, long at, int value) {
        m.set(U32, at + LENGTH_OFFSET, value);
    }

    /** The peer's queue pair. */
    public static int qpn(MemorySegment m, long at) {
        return m.get(BE32, at + QPN_OFFSET);
    }

    public static void qpn(MemorySegment m, long at, int value) {
        m.set(BE32, at + QPN_OFFSET, value);
    }

    /** Q_Key of the peer; the kernel uses that of queue pair 1. */
    public static int qkey(MemorySegment m, long at) {
        return m.get(BE32, at + QKEY_OFFSET);
    }

    public static void qkey(MemorySegment m, long at, int value) {
        m.set(BE32, at + QKEY_OFFSET, value);
    }

    /** The peer's LID; 0 on Ethernet. */
    public static int lid(MemorySegment m, long at) {
        return m.get(BE16, at + LID_OFFSET) & 0xFFFF;
    }

    public static void lid(MemorySegment m, long at, int value) {
        m.set(BE16, at + LID_OFFSET, (short) value);
    }

    /** Service level. */
    public static int sl(MemorySegment m, long at) {
        return m.get(U8, at + SL_OFFSET) & 0xFF;
    }

    public static void sl(MemorySegment m, long at, int value) {
        m.set(U8, at + SL_OFFSET, (byte) value);
    }

    /** Lower bits of the own LID. */
    public static int pathBits(MemorySegment m, long at) {
        return m.get(U8, at + PATH_BITS_OFFSET) & 0xFF;
    }

    public static void pathBits(MemorySegment m, long at, int value) {
        m.set(U8, at + PATH_BITS_OFFSET, (byte) value);
    }

    /** Whether the fields that follow are valid, as they must be on Ethernet. */
    public static int grhPresent(MemorySegment m, long at) {
        return m.get(U8, at + GRH_PRESENT_OFFSET) & 0xFF;
    }

    public static void grhPresent(MemorySegment m, long at, int value) {
        m.set(U8, at + GRH_PRESENT_OFFSET, (byte) value);
    }

    /** The own GID, by its index. */
    public static int gidIndex(MemorySegment m, long at) {
        return m.get(U8, at + GID_INDEX_OFFSET) & 0xFF;
    }

    public static void gidIndex(MemorySegment m, long at, int value) {
        m.set(U8, at + GID_INDEX_OFFSET, (byte) value);
    }

    /** Hop limit, or time to live. */
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

    /** Flow label, 20 bits. */
    public static int flowLabel(MemorySegment m, long at) {
        return m.get(BE32, at + FLOW_LABEL_OFFSET);
    }

    public static void flowLabel(MemorySegment m, long at, int value) {
        m.set(BE32, at + FLOW_LABEL_OFFSET, value);
    }

    /** Partition key, by its index. */
    public static int pkeyIndex(MemorySegment m, long at) {
        return m.get(U16, at + PKEY_INDEX_OFFSET) & 0xFFFF;
    }

    public static void pkeyIndex(MemorySegment m, long at, int value) {
        m.set(U16, at + PKEY_INDEX_OFFSET, (short) value);
    }
}
