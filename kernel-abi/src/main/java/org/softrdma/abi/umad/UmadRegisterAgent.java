// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.umad;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Argument of REGISTER_AGENT. The bits of the masks are methods, the lowest first.
 *
 * <p>Source: {@code struct ib_user_mad_reg_req}.
 */
public final class UmadRegisterAgent {
    /** Size in bytes. */
    public static final int BYTES = 28;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u64. */
    public static final int METHODS_LOW_OFFSET = 4;
    /** u64. */
    public static final int METHODS_HIGH_OFFSET = 12;
    /** u8. */
    public static final int QPN_OFFSET = 20;
    /** u8. */
    public static final int MGMT_CLASS_OFFSET = 21;
    /** u8. */
    public static final int MGMT_CLASS_VERSION_OFFSET = 22;
    /** 3 bytes: organisation of a vendor's class. */
    public static final int OUI_OFFSET = 23;
    /** u8. */
    public static final int RMPP_VERSION_OFFSET = 26;

    private UmadRegisterAgent() {
    }

    /** The new agent's number, which the kernel writes. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
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

    /** Queue pair 0 or 1. */
    public static int qpn(MemorySegment m, long at) {
        return m.get(U8, at + QPN_OFFSET) & 0xFF;
    }

    public static void qpn(MemorySegment m, long at, int value) {
        m.set(U8, at + QPN_OFFSET, (byte) value);
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

    /** Version of RMPP, 1; 0 for none. */
    public static int rmppVersion(MemorySegment m, long at) {
        return m.get(U8, at + RMPP_VERSION_OFFSET) & 0xFF;
    }

    public static void rmppVersion(MemorySegment m, long at, int value) {
        m.set(U8, at + RMPP_VERSION_OFFSET, (byte) value);
    }
}
