// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Send work request in libsiw's ring, an array without a head. The program fills a slot and stores its flags last; the device clears the
 * flags to hand the slot back. Written by the program: nothing in it can be trusted.
 *
 * <p>Source: {@code struct siw_sqe}.
 */
public final class SiwSendRecord {
    /** Size in bytes. */
    public static final int BYTES = 120;
    /** u64. */
    public static final int ID_OFFSET = 0;
    /** u16. */
    public static final int FLAGS_OFFSET = 8;
    /** u8. */
    public static final int NUM_SGE_OFFSET = 10;
    /** u8. */
    public static final int OPCODE_OFFSET = 11;
    /** u32. */
    public static final int RKEY_OFFSET = 12;
    /** u64. */
    public static final int RADDR_OFFSET = 16;
    /** First of the elements, {@link RxeElement} each. */
    public static final int SGE_OFFSET = 24;
    /** Inline data, in the place of the second and later elements; its length is that of the first element. */
    public static final int INLINE_DATA_OFFSET = 40;
    /** Elements of a record. */
    public static final int MAX_SGE = 6;
    /** Bytes of inline data. */
    public static final int MAX_INLINE = 80;

    private static final VarHandle FLAGS = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private SiwSendRecord() {
    }

    /** Program's identifier. */
    public static long id(MemorySegment m, long at) {
        return m.get(U64, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, long value) {
        m.set(U64, at + ID_OFFSET, value);
    }

    /** {@link SiwFlags}; loads with acquire order, so that the other fields can be read if VALID is set. */
    public static int flags(MemorySegment m, long at) {
        return (short) FLAGS.getAcquire(m, at + FLAGS_OFFSET) & 0xFFFF;
    }

    /**
     * Stores after the other fields, with a full fence; 0 hands the slot back. Each side loads the flags of another slot next: the library
     * rings no bell if the slot before its own is still in use, and the device waits for a bell if the slot behind is empty.
     */
    public static void flags(MemorySegment m, long at, int value) {
        FLAGS.setVolatile(m, at + FLAGS_OFFSET, (short) value);
    }

    /** Number of elements, 0..6; 1 with inline data. */
    public static int numSge(MemorySegment m, long at) {
        return m.get(U8, at + NUM_SGE_OFFSET) & 0xFF;
    }

    public static void numSge(MemorySegment m, long at, int value) {
        m.set(U8, at + NUM_SGE_OFFSET, (byte) value);
    }

    /** {@link SiwOpcode}. */
    public static int opcode(MemorySegment m, long at) {
        return m.get(U8, at + OPCODE_OFFSET) & 0xFF;
    }

    public static void opcode(MemorySegment m, long at, int value) {
        m.set(U8, at + OPCODE_OFFSET, (byte) value);
    }

    /** Key at the peer, or key to invalidate there. */
    public static int rkey(MemorySegment m, long at) {
        return m.get(U32, at + RKEY_OFFSET);
    }

    public static void rkey(MemorySegment m, long at, int value) {
        m.set(U32, at + RKEY_OFFSET, value);
    }

    /** Address at the peer. */
    public static long raddr(MemorySegment m, long at) {
        return m.get(U64, at + RADDR_OFFSET);
    }

    public static void raddr(MemorySegment m, long at, long value) {
        m.set(U64, at + RADDR_OFFSET, value);
    }
}
