// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.BE32;
import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Completion in librxe's ring, which the library copies into {@code struct ibv_wc} as it stands.
 *
 * <p>Source: {@code struct ib_uverbs_wc}.
 */
public final class RxeCompletion {
    /** Size in bytes. */
    public static final int BYTES = 48;
    /** u64. */
    public static final int WR_ID_OFFSET = 0;
    /** u32. */
    public static final int STATUS_OFFSET = 8;
    /** u32. */
    public static final int OPCODE_OFFSET = 12;
    /** u32. */
    public static final int VENDOR_ERR_OFFSET = 16;
    /** u32. */
    public static final int BYTE_LEN_OFFSET = 20;
    /** be32. */
    public static final int IMM_DATA_OFFSET = 24;
    /** u32. */
    public static final int INVALIDATE_RKEY_OFFSET = 24;
    /** u32. */
    public static final int QP_NUM_OFFSET = 28;
    /** u32. */
    public static final int SRC_QP_OFFSET = 32;
    /** u32. */
    public static final int WC_FLAGS_OFFSET = 36;
    /** u16. */
    public static final int PKEY_INDEX_OFFSET = 40;
    /** u16. */
    public static final int SLID_OFFSET = 42;
    /** u8. */
    public static final int SL_OFFSET = 44;
    /** u8. */
    public static final int DLID_PATH_BITS_OFFSET = 45;
    /** u8. */
    public static final int PORT_NUM_OFFSET = 46;
    /** Bytes of a slot: the record's size rounded up to a power of two. */
    public static final int SLOT_BYTES = 64;

    private RxeCompletion() {
    }

    /** Identifier of the work request. */
    public static long wrId(MemorySegment m, long at) {
        return m.get(U64, at + WR_ID_OFFSET);
    }

    public static void wrId(MemorySegment m, long at, long value) {
        m.set(U64, at + WR_ID_OFFSET, value);
    }

    /** {@code enum ibv_wc_status}. */
    public static int status(MemorySegment m, long at) {
        return m.get(U32, at + STATUS_OFFSET);
    }

    public static void status(MemorySegment m, long at, int value) {
        m.set(U32, at + STATUS_OFFSET, value);
    }

    /** {@code enum ibv_wc_opcode}. */
    public static int opcode(MemorySegment m, long at) {
        return m.get(U32, at + OPCODE_OFFSET);
    }

    public static void opcode(MemorySegment m, long at, int value) {
        m.set(U32, at + OPCODE_OFFSET, value);
    }

    /** Reason of an error in numbers of the device. */
    public static int vendorErr(MemorySegment m, long at) {
        return m.get(U32, at + VENDOR_ERR_OFFSET);
    }

    public static void vendorErr(MemorySegment m, long at, int value) {
        m.set(U32, at + VENDOR_ERR_OFFSET, value);
    }

    /** Bytes received or read. */
    public static int byteLen(MemorySegment m, long at) {
        return m.get(U32, at + BYTE_LEN_OFFSET);
    }

    public static void byteLen(MemorySegment m, long at, int value) {
        m.set(U32, at + BYTE_LEN_OFFSET, value);
    }

    /** Immediate data. */
    public static int immData(MemorySegment m, long at) {
        return m.get(BE32, at + IMM_DATA_OFFSET);
    }

    public static void immData(MemorySegment m, long at, int value) {
        m.set(BE32, at + IMM_DATA_OFFSET, value);
    }

    /** Key that was invalidated, in the place of immediate data. */
    public static int invalidateRkey(MemorySegment m, long at) {
        return m.get(U32, at + INVALIDATE_RKEY_OFFSET);
    }

    public static void invalidateRkey(MemorySegment m, long at, int value) {
        m.set(U32, at + INVALIDATE_RKEY_OFFSET, value);
    }

    /** Own queue pair. */
    public static int qpNum(MemorySegment m, long at) {
        return m.get(U32, at + QP_NUM_OFFSET);
    }

    public static void qpNum(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_NUM_OFFSET, value);
    }

    /** Sender's queue pair of a datagram. */
    public static int srcQp(MemorySegment m, long at) {
        return m.get(U32, at + SRC_QP_OFFSET);
    }

    public static void srcQp(MemorySegment m, long at, int value) {
        m.set(U32, at + SRC_QP_OFFSET, value);
    }

    /** Bits of {@code enum ibv_wc_flags}. */
    public static int wcFlags(MemorySegment m, long at) {
        return m.get(U32, at + WC_FLAGS_OFFSET);
    }

    public static void wcFlags(MemorySegment m, long at, int value) {
        m.set(U32, at + WC_FLAGS_OFFSET, value);
    }

    /** Index of the partition key. */
    public static int pkeyIndex(MemorySegment m, long at) {
        return m.get(U16, at + PKEY_INDEX_OFFSET) & 0xFFFF;
    }

    public static void pkeyIndex(MemorySegment m, long at, int value) {
        m.set(U16, at + PKEY_INDEX_OFFSET, (short) value);
    }

    /** Sender's LID; 0 on Ethernet. */
    public static int slid(MemorySegment m, long at) {
        return m.get(U16, at + SLID_OFFSET) & 0xFFFF;
    }

    public static void slid(MemorySegment m, long at, int value) {
        m.set(U16, at + SLID_OFFSET, (short) value);
    }

    /** Service level. */
    public static int sl(MemorySegment m, long at) {
        return m.get(U8, at + SL_OFFSET) & 0xFF;
    }

    public static void sl(MemorySegment m, long at, int value) {
        m.set(U8, at + SL_OFFSET, (byte) value);
    }

    /** Low bits of the own LID; 0 on Ethernet. */
    public static int dlidPathBits(MemorySegment m, long at) {
        return m.get(U8, at + DLID_PATH_BITS_OFFSET) & 0xFF;
    }

    public static void dlidPathBits(MemorySegment m, long at, int value) {
        m.set(U8, at + DLID_PATH_BITS_OFFSET, (byte) value);
    }

    /** Own port; rxe writes 1, siw has no such field. */
    public static int portNum(MemorySegment m, long at) {
        return m.get(U8, at + PORT_NUM_OFFSET) & 0xFF;
    }

    public static void portNum(MemorySegment m, long at, int value) {
        m.set(U8, at + PORT_NUM_OFFSET, (byte) value);
    }
}
