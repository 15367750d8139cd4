// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Receive in libsiw's ring, an array without a head. The program fills a slot and stores its flags last; the device clears the flags to
 * hand the slot back. Written by the program: nothing in it can be trusted.
 *
 * <p>Source: {@code struct siw_rqe}.
 */
public final class SiwReceiveRecord {
    /** Size in bytes. */
    public static final int BYTES = 112;
    /** u64. */
    public static final int ID_OFFSET = 0;
    /** u16. */
    public static final int FLAGS_OFFSET = 8;
    /** u8. */
    public static final int NUM_SGE_OFFSET = 10;
    /** u8. */
    public static final int OPCODE_OFFSET = 11;
    /** First of the elements, {@link RxeElement} each. */
    public static final int SGE_OFFSET = 16;

    private static final VarHandle FLAGS = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private SiwReceiveRecord() {
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

    /** Stores with release order; 0 hands the slot back. */
    public static void flags(MemorySegment m, long at, int value) {
        FLAGS.setRelease(m, at + FLAGS_OFFSET, (short) value);
    }

    /** Number of elements, 0..6. */
    public static int numSge(MemorySegment m, long at) {
        return m.get(U8, at + NUM_SGE_OFFSET) & 0xFF;
    }

    public static void numSge(MemorySegment m, long at, int value) {
        m.set(U8, at + NUM_SGE_OFFSET, (byte) value);
    }

    /** For the kernel's own use. */
    public static int opcode(MemorySegment m, long at) {
        return m.get(U8, at + OPCODE_OFFSET) & 0xFF;
    }

    public static void opcode(MemorySegment m, long at, int value) {
        m.set(U8, at + OPCODE_OFFSET, (byte) value);
    }
}
