// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.BE32;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Send work request in librxe's ring. The fields of an operation are in {@link RxeRdmaRequest}, {@link RxeAtomicRequest}, {@link
 * RxeDatagramRequest}, {@link RxeWindowRequest} and {@link RxeFlushRequest}, at the same address. Written by the program: nothing in it
 * can be trusted.
 *
 * <p>Source: {@code struct rxe_send_wqe}.
 */
public final class RxeSendRecord {
    /** Size in bytes. */
    public static final int BYTES = 208;
    /** u64. */
    public static final int WR_ID_OFFSET = 0;
    /** u32. */
    public static final int OPCODE_OFFSET = 12;
    /** u32. */
    public static final int SEND_FLAGS_OFFSET = 16;
    /** be32. */
    public static final int IMM_DATA_OFFSET = 20;
    /** u32. */
    public static final int INVALIDATE_RKEY_OFFSET = 20;
    /** u32. */
    public static final int STATUS_OFFSET = 144;
    /** u32. */
    public static final int STATE_OFFSET = 148;
    /** u64. */
    public static final int IOVA_OFFSET = 152;
    /** u32. */
    public static final int MASK_OFFSET = 160;
    /** u32. */
    public static final int FIRST_PSN_OFFSET = 164;
    /** u32. */
    public static final int LAST_PSN_OFFSET = 168;
    /** u32. */
    public static final int ACK_LENGTH_OFFSET = 172;
    /** u32. */
    public static final int SSN_OFFSET = 176;
    /** u32. */
    public static final int HAS_RD_ATOMIC_OFFSET = 180;
    /** u32. */
    public static final int LENGTH_OFFSET = 184;
    /** u32. */
    public static final int RESID_OFFSET = 188;
    /** u32. */
    public static final int CUR_SGE_OFFSET = 192;
    /** u32. */
    public static final int NUM_SGE_OFFSET = 196;
    /** u32. */
    public static final int SGE_OFFSET_OFFSET = 200;
    /** {@link RxeElement}: first of the scatter-gather elements, or inline data; outside of the record's fixed part. */
    public static final int SGE_OFFSET = 208;

    private RxeSendRecord() {
    }

    /** Program's identifier. */
    public static long wrId(MemorySegment m, long at) {
        return m.get(U64, at + WR_ID_OFFSET);
    }

    public static void wrId(MemorySegment m, long at, long value) {
        m.set(U64, at + WR_ID_OFFSET, value);
    }

    /** {@code enum ibv_wr_opcode}. */
    public static int opcode(MemorySegment m, long at) {
        return m.get(U32, at + OPCODE_OFFSET);
    }

    public static void opcode(MemorySegment m, long at, int value) {
        m.set(U32, at + OPCODE_OFFSET, value);
    }

    /** Bits of {@code enum ibv_send_flags}: 1 fence, 2 signalled, 4 solicited, 8 inline. */
    public static int sendFlags(MemorySegment m, long at) {
        return m.get(U32, at + SEND_FLAGS_OFFSET);
    }

    public static void sendFlags(MemorySegment m, long at, int value) {
        m.set(U32, at + SEND_FLAGS_OFFSET, value);
    }

    /** Immediate data of operations with immediate. */
    public static int immData(MemorySegment m, long at) {
        return m.get(BE32, at + IMM_DATA_OFFSET);
    }

    public static void immData(MemorySegment m, long at, int value) {
        m.set(BE32, at + IMM_DATA_OFFSET, value);
    }

    /** Key to invalidate, in the place of immediate data. */
    public static int invalidateRkey(MemorySegment m, long at) {
        return m.get(U32, at + INVALIDATE_RKEY_OFFSET);
    }

    public static void invalidateRkey(MemorySegment m, long at, int value) {
        m.set(U32, at + INVALIDATE_RKEY_OFFSET, value);
    }

    /** For the kernel's own use. */
    public static int status(MemorySegment m, long at) {
        return m.get(U32, at + STATUS_OFFSET);
    }

    public static void status(MemorySegment m, long at, int value) {
        m.set(U32, at + STATUS_OFFSET, value);
    }

    /** For the kernel's own use. */
    public static int state(MemorySegment m, long at) {
        return m.get(U32, at + STATE_OFFSET);
    }

    public static void state(MemorySegment m, long at, int value) {
        m.set(U32, at + STATE_OFFSET, value);
    }

    /** Remote address once more; of sends and datagrams whatever stands in that place of {@code ibv_send_wr}. */
    public static long iova(MemorySegment m, long at) {
        return m.get(U64, at + IOVA_OFFSET);
    }

    public static void iova(MemorySegment m, long at, long value) {
        m.set(U64, at + IOVA_OFFSET, value);
    }

    /** For the kernel's own use. */
    public static int mask(MemorySegment m, long at) {
        return m.get(U32, at + MASK_OFFSET);
    }

    public static void mask(MemorySegment m, long at, int value) {
        m.set(U32, at + MASK_OFFSET, value);
    }

    /** For the kernel's own use. */
    public static int firstPsn(MemorySegment m, long at) {
        return m.get(U32, at + FIRST_PSN_OFFSET);
    }

    public static void firstPsn(MemorySegment m, long at, int value) {
        m.set(U32, at + FIRST_PSN_OFFSET, value);
    }

    /** For the kernel's own use. */
    public static int lastPsn(MemorySegment m, long at) {
        return m.get(U32, at + LAST_PSN_OFFSET);
    }

    public static void lastPsn(MemorySegment m, long at, int value) {
        m.set(U32, at + LAST_PSN_OFFSET, value);
    }

    /** For the kernel's own use. */
    public static int ackLength(MemorySegment m, long at) {
        return m.get(U32, at + ACK_LENGTH_OFFSET);
    }

    public static void ackLength(MemorySegment m, long at, int value) {
        m.set(U32, at + ACK_LENGTH_OFFSET, value);
    }

    /** Send sequence number of the library. */
    public static int ssn(MemorySegment m, long at) {
        return m.get(U32, at + SSN_OFFSET);
    }

    public static void ssn(MemorySegment m, long at, int value) {
        m.set(U32, at + SSN_OFFSET, value);
    }

    /** For the kernel's own use. */
    public static int hasRdAtomic(MemorySegment m, long at) {
        return m.get(U32, at + HAS_RD_ATOMIC_OFFSET);
    }

    public static void hasRdAtomic(MemorySegment m, long at, int value) {
        m.set(U32, at + HAS_RD_ATOMIC_OFFSET, value);
    }

    /** Bytes of the message, unsigned. */
    public static int length(MemorySegment m, long at) {
        return m.get(U32, at + LENGTH_OFFSET);
    }

    public static void length(MemorySegment m, long at, int value) {
        m.set(U32, at + LENGTH_OFFSET, value);
    }

    /** Bytes still to send: the length at first. */
    public static int resid(MemorySegment m, long at) {
        return m.get(U32, at + RESID_OFFSET);
    }

    public static void resid(MemorySegment m, long at, int value) {
        m.set(U32, at + RESID_OFFSET, value);
    }

    /** Element in work: 0 at first. */
    public static int curSge(MemorySegment m, long at) {
        return m.get(U32, at + CUR_SGE_OFFSET);
    }

    public static void curSge(MemorySegment m, long at, int value) {
        m.set(U32, at + CUR_SGE_OFFSET, value);
    }

    /** Number of scatter-gather elements; 0 with inline data. */
    public static int numSge(MemorySegment m, long at) {
        return m.get(U32, at + NUM_SGE_OFFSET);
    }

    public static void numSge(MemorySegment m, long at, int value) {
        m.set(U32, at + NUM_SGE_OFFSET, value);
    }

    /** Offset in the element in work: 0 at first. */
    public static int sgeOffset(MemorySegment m, long at) {
        return m.get(U32, at + SGE_OFFSET_OFFSET);
    }

    public static void sgeOffset(MemorySegment m, long at, int value) {
        m.set(U32, at + SGE_OFFSET_OFFSET, value);
    }
}
