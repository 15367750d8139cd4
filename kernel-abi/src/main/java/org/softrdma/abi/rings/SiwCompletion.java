// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Completion in libsiw's ring, an array without a head, behind which a {@link SiwCqControl} stands. The device fills a slot and stores its
 * flags last; the program clears the flags when it has read the slot.
 *
 * <p>Source: {@code struct siw_cqe}.
 */
public final class SiwCompletion {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** u64. */
    public static final int ID_OFFSET = 0;
    /** u8. */
    public static final int FLAGS_OFFSET = 8;
    /** u8. */
    public static final int OPCODE_OFFSET = 9;
    /** u16. */
    public static final int STATUS_OFFSET = 10;
    /** u32. */
    public static final int BYTES_OFFSET = 12;
    /** u64. */
    public static final int IMM_DATA_OFFSET = 16;
    /** u32. */
    public static final int INVAL_STAG_OFFSET = 16;
    /** u64. */
    public static final int QP_ID_OFFSET = 24;

    private static final VarHandle FLAGS = ValueLayout.JAVA_BYTE.varHandle();

    private SiwCompletion() {
    }

    /** Identifier of the work request. */
    public static long id(MemorySegment m, long at) {
        return m.get(U64, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, long value) {
        m.set(U64, at + ID_OFFSET, value);
    }

    /** {@link SiwFlags}; loads with acquire order. VALID in the slot that is written next means that the ring is full. */
    public static int flags(MemorySegment m, long at) {
        return (byte) FLAGS.getAcquire(m, at + FLAGS_OFFSET) & 0xFF;
    }

    /**
     * Stores after the other fields, with a full fence: whether the program has armed the queue is loaded next, and must not be loaded
     * before the program can see the completion.
     */
    public static void flags(MemorySegment m, long at, int value) {
        FLAGS.setVolatile(m, at + FLAGS_OFFSET, (byte) value);
    }

    /** {@link SiwOpcode} of the work request. */
    public static int opcode(MemorySegment m, long at) {
        return m.get(U8, at + OPCODE_OFFSET) & 0xFF;
    }

    public static void opcode(MemorySegment m, long at, int value) {
        m.set(U8, at + OPCODE_OFFSET, (byte) value);
    }

    /** {@link SiwStatus}. */
    public static int status(MemorySegment m, long at) {
        return m.get(U16, at + STATUS_OFFSET) & 0xFFFF;
    }

    public static void status(MemorySegment m, long at, int value) {
        m.set(U16, at + STATUS_OFFSET, (short) value);
    }

    /** Bytes of the operation. */
    public static int bytes(MemorySegment m, long at) {
        return m.get(U32, at + BYTES_OFFSET);
    }

    public static void bytes(MemorySegment m, long at, int value) {
        m.set(U32, at + BYTES_OFFSET, value);
    }

    /** Immediate data, which libsiw does not read. */
    public static long immData(MemorySegment m, long at) {
        return m.get(U64, at + IMM_DATA_OFFSET);
    }

    public static void immData(MemorySegment m, long at, long value) {
        m.set(U64, at + IMM_DATA_OFFSET, value);
    }

    /** Key that was invalidated, in the place of immediate data. */
    public static int invalStag(MemorySegment m, long at) {
        return m.get(U32, at + INVAL_STAG_OFFSET);
    }

    public static void invalStag(MemorySegment m, long at, int value) {
        m.set(U32, at + INVAL_STAG_OFFSET, value);
    }

    /** Number of the queue pair. */
    public static long qpId(MemorySegment m, long at) {
        return m.get(U64, at + QP_ID_OFFSET);
    }

    public static void qpId(MemorySegment m, long at, long value) {
        m.set(U64, at + QP_ID_OFFSET, value);
    }
}
