// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Command OPEN_QP, which opens an XRC target of another process.
 *
 * <p>Source: {@code struct ib_uverbs_open_qp}.
 */
public final class OpenQpCommand {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u64. */
    public static final int USER_HANDLE_OFFSET = 8;
    /** u32. */
    public static final int PD_HANDLE_OFFSET = 16;
    /** u32. */
    public static final int QPN_OFFSET = 20;
    /** u8. */
    public static final int QP_TYPE_OFFSET = 24;

    private OpenQpCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Cookie of the library, which events name. */
    public static long userHandle(MemorySegment m, long at) {
        return m.get(U64, at + USER_HANDLE_OFFSET);
    }

    public static void userHandle(MemorySegment m, long at, long value) {
        m.set(U64, at + USER_HANDLE_OFFSET, value);
    }

    /** Handle of the XRC domain, despite its name. */
    public static int pdHandle(MemorySegment m, long at) {
        return m.get(U32, at + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + PD_HANDLE_OFFSET, value);
    }

    /** Number of the queue pair, u24. */
    public static int qpn(MemorySegment m, long at) {
        return m.get(U32, at + QPN_OFFSET);
    }

    public static void qpn(MemorySegment m, long at, int value) {
        m.set(U32, at + QPN_OFFSET, value);
    }

    /** Type of the queue pair: 10 for an XRC target. */
    public static int qpType(MemorySegment m, long at) {
        return m.get(U8, at + QP_TYPE_OFFSET) & 0xFF;
    }

    public static void qpType(MemorySegment m, long at, int value) {
        m.set(U8, at + QP_TYPE_OFFSET, (byte) value);
    }
}
