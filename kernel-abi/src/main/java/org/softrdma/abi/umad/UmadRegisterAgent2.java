// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.umad;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Argument of REGISTER_AGENT2. The bits of the masks are methods, the lowest first.
 *
 * <p>Source: {@code struct ib_user_mad_reg_req2}.
 */
public final class UmadRegisterAgent2 {
    /** Size in bytes. */
    public static final int BYTES = 40;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u32. */
    public static final int QPN_OFFSET = 4;
    /** u8. */
    public static final int MGMT_CLASS_OFFSET = 8;
    /** u8. */
    public static final int MGMT_CLASS_VERSION_OFFSET = 9;
    /** u32. */
    public static final int FLAGS_OFFSET = 12;
    /** u64. */
    public static final int METHODS_LOW_OFFSET = 16;
    /** u64. */
    public static final int METHODS_HIGH_OFFSET = 24;
    /** u32. */
    public static final int OUI_OFFSET = 32;
    /** u8. */
    public static final int RMPP_VERSION_OFFSET = 36;
    /** Flag: the program divides and joins long messages itself. */
    public static final int USER_RMPP = 1;

    private UmadRegisterAgent2() {
    }

    /** The new agent's number, which the kernel writes. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** Queue pair 0 or 1. */
    public static int qpn(MemorySegment m, long at) {
        return m.get(U32, at + QPN_OFFSET);
    }

    public static void qpn(MemorySegment m, long at, int value) {
        m.set(U32, at + QPN_OFFSET, value);
    }

    /** Management class; 0 for an agent that receives answers only. */
    public static int mgmtClass(MemorySegment m, long at) {
        return m.get(U8, at + MGMT_CLASS_OFFSET) & 0xFF;
    }

    public static void mgmtClass(MemorySegment m, long at, int value) {
        m.set(U8, at + MGMT_CLASS_OFFSET, (byte) value);
    }

    /** Version of the class. */
    public static int mgmtClassVersion(MemorySegment m, long at) {
        return m.get(U8, at + MGMT_CLASS_VERSION_OFFSET) & 0xFF;
    }

    public static void mgmtClassVersion(MemorySegment m, long at, int value) {
        m.set(U8, at + MGMT_CLASS_VERSION_OFFSET, (byte) value);
    }

    /** {@link #USER_RMPP}, or 0; the kernel writes the known ones when it refuses others. */
    public static int flags(MemorySegment m, long at) {
        return m.get(U32, at + FLAGS_OFFSET);
    }

    public static void flags(MemorySegment m, long at, int value) {
        m.set(U32, at + FLAGS_OFFSET, value);
    }

    /** Methods below 64 whose requests the agent receives. */
    public static long methodsLow(MemorySegment m, long at) {
        return m.get(U64, at + METHODS_LOW_OFFSET);
    }

    public static void methodsLow(MemorySegment m, long at, long value) {
        m.set(U64, at + METHODS_LOW_OFFSET, value);
    }

    /** Methods from 64 to 127 whose requests the agent receives. */
    public static long methodsHigh(MemorySegment m, long at) {
        return m.get(U64, at + METHODS_HIGH_OFFSET);
    }

    public static void methodsHigh(MemorySegment m, long at, long value) {
        m.set(U64, at + METHODS_HIGH_OFFSET, value);
    }

    /** Organisation of a vendor's class, the first byte highest. */
    public static int oui(MemorySegment m, long at) {
        return m.get(U32, at + OUI_OFFSET);
    }

    public static void oui(MemorySegment m, long at, int value) {
        m.set(U32, at + OUI_OFFSET, value);
    }

    /** Version of RMPP, 1; 0 for none. */
    public static int rmppVersion(MemorySegment m, long at) {
        return m.get(U8, at + RMPP_VERSION_OFFSET) & 0xFF;
    }

    public static void rmppVersion(MemorySegment m, long at, int value) {
        m.set(U8, at + RMPP_VERSION_OFFSET, (byte) value);
    }
}
