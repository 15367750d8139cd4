// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * One attribute of an ioctl. Input of up to 8 bytes stands in {@code data} itself, longer input and all output behind the pointer in it;
 * handles and descriptors are the value of {@code data}.
 *
 * <p>Source: {@code struct ib_uverbs_attr}.
 */
public final class IoctlAttribute {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u16. */
    public static final int ATTR_ID_OFFSET = 0;
    /** u16. */
    public static final int LEN_OFFSET = 2;
    /** u16. */
    public static final int FLAGS_OFFSET = 4;
    /** u16. */
    public static final int ELEMENT_ID_OFFSET = 6;
    /** u64. */
    public static final int DATA_OFFSET = 8;
    /** The call fails with EPROTONOSUPPORT if the kernel does not know the attribute. */
    public static final int MANDATORY = 1;
    /** Set by the kernel when it has written the output. */
    public static final int VALID_OUTPUT = 2;

    private IoctlAttribute() {
    }

    /** Attribute of the method, one of {@link UverbsAttribute}. */
    public static int attrId(MemorySegment m, long at) {
        return m.get(U16, at + ATTR_ID_OFFSET) & 0xFFFF;
    }

    public static void attrId(MemorySegment m, long at, int value) {
        m.set(U16, at + ATTR_ID_OFFSET, (short) value);
    }

    /** Bytes of the data, or of the room for output; 0 for handles and descriptors. */
    public static int len(MemorySegment m, long at) {
        return m.get(U16, at + LEN_OFFSET) & 0xFFFF;
    }

    public static void len(MemorySegment m, long at, int value) {
        m.set(U16, at + LEN_OFFSET, (short) value);
    }

    /** Bits {@link #MANDATORY} (from the program) and {@link #VALID_OUTPUT} (from the kernel). */
    public static int flags(MemorySegment m, long at) {
        return m.get(U16, at + FLAGS_OFFSET) & 0xFFFF;
    }

    public static void flags(MemorySegment m, long at, int value) {
        m.set(U16, at + FLAGS_OFFSET, (short) value);
    }

    /** Zero, or for an enumeration the number of its element in the low byte. */
    public static int elementId(MemorySegment m, long at) {
        return m.get(U16, at + ELEMENT_ID_OFFSET) & 0xFFFF;
    }

    public static void elementId(MemorySegment m, long at, int value) {
        m.set(U16, at + ELEMENT_ID_OFFSET, (short) value);
    }

    /** Value, or address in the program; the kernel writes the handle or descriptor of a new object here. */
    public static long data(MemorySegment m, long at) {
        return m.get(U64, at + DATA_OFFSET);
    }

    public static void data(MemorySegment m, long at, long value) {
        m.set(U64, at + DATA_OFFSET, value);
    }
}
