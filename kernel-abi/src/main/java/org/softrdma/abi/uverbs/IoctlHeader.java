// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Head of the argument of RDMA_VERBS_IOCTL; {@link IoctlAttribute}s follow it.
 *
 * <p>Source: {@code struct ib_uverbs_ioctl_hdr}.
 */
public final class IoctlHeader {
    /** Size in bytes. */
    public static final int BYTES = 24;
    /** u16. */
    public static final int LENGTH_OFFSET = 0;
    /** u16. */
    public static final int OBJECT_ID_OFFSET = 2;
    /** u16. */
    public static final int METHOD_ID_OFFSET = 4;
    /** u16. */
    public static final int NUM_ATTRS_OFFSET = 6;
    /** u64. */
    public static final int RESERVED1_OFFSET = 8;
    /** u32. */
    public static final int DRIVER_ID_OFFSET = 16;
    /** u32. */
    public static final int RESERVED2_OFFSET = 20;
    /** Request number: {@code _IOWR(0x1b, 1, struct ib_uverbs_ioctl_hdr)}. */
    public static final int RDMA_VERBS_IOCTL = 0xC0181B01;

    private IoctlHeader() {
    }

    /** Bytes of header and attributes together: 24 + 16 for each attribute. */
    public static int length(MemorySegment m, long at) {
        return m.get(U16, at + LENGTH_OFFSET) & 0xFFFF;
    }

    public static void length(MemorySegment m, long at, int value) {
        m.set(U16, at + LENGTH_OFFSET, (short) value);
    }

    /** Object that the method belongs to, one of {@link UverbsObject}. */
    public static int objectId(MemorySegment m, long at) {
        return m.get(U16, at + OBJECT_ID_OFFSET) & 0xFFFF;
    }

    public static void objectId(MemorySegment m, long at, int value) {
        m.set(U16, at + OBJECT_ID_OFFSET, (short) value);
    }

    /** Method of the object, one of {@link UverbsMethod}. */
    public static int methodId(MemorySegment m, long at) {
        return m.get(U16, at + METHOD_ID_OFFSET) & 0xFFFF;
    }

    public static void methodId(MemorySegment m, long at, int value) {
        m.set(U16, at + METHOD_ID_OFFSET, (short) value);
    }

    /** Number of attributes. */
    public static int numAttrs(MemorySegment m, long at) {
        return m.get(U16, at + NUM_ATTRS_OFFSET) & 0xFFFF;
    }

    public static void numAttrs(MemorySegment m, long at, int value) {
        m.set(U16, at + NUM_ATTRS_OFFSET, (short) value);
    }

    /** Zero; the kernel refuses anything else with EPROTONOSUPPORT. */
    public static long reserved1(MemorySegment m, long at) {
        return m.get(U64, at + RESERVED1_OFFSET);
    }

    public static void reserved1(MemorySegment m, long at, long value) {
        m.set(U64, at + RESERVED1_OFFSET, value);
    }

    /** Driver that the library expects, {@link UverbsValue#DRIVER_RXE} or {@link UverbsValue#DRIVER_SIW}. */
    public static int driverId(MemorySegment m, long at) {
        return m.get(U32, at + DRIVER_ID_OFFSET);
    }

    public static void driverId(MemorySegment m, long at, int value) {
        m.set(U32, at + DRIVER_ID_OFFSET, value);
    }

    /** Zero, as reserved1. */
    public static int reserved2(MemorySegment m, long at) {
        return m.get(U32, at + RESERVED2_OFFSET);
    }

    public static void reserved2(MemorySegment m, long at, int value) {
        m.set(U32, at + RESERVED2_OFFSET, value);
    }
}
