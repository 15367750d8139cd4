// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Body of CREATE_ID.
 *
 * <p>Source: {@code struct rdma_ucm_create_id}.
 */
public final class UcmCreateId {
    /** Size in bytes. */
    public static final int BYTES = 24;
    /** u64. */
    public static final int UID_OFFSET = 0;
    /** u64. */
    public static final int RESPONSE_OFFSET = 8;
    /** u16. */
    public static final int PS_OFFSET = 16;
    /** u8. */
    public static final int QP_TYPE_OFFSET = 18;
    /** IP over InfiniBand: multicast groups of the kernel's interfaces. */
    public static final int PS_IPOIB = 0x0002;
    /** Service IDs; librdmacm uses it to find out whether AF_IB is known. */
    public static final int PS_IB = 0x013F;
    /** Connections. */
    public static final int PS_TCP = 0x0106;
    /** Datagrams. */
    public static final int PS_UDP = 0x0111;

    private UcmCreateId() {
    }

    /** Cookie of the library, which events name. */
    public static long uid(MemorySegment m, long at) {
        return m.get(U64, at + UID_OFFSET);
    }

    public static void uid(MemorySegment m, long at, long value) {
        m.set(U64, at + UID_OFFSET, value);
    }

    /** Address in the program for the response. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Port space: {@link #PS_IPOIB}, {@link #PS_IB}, {@link #PS_TCP} or {@link #PS_UDP}. */
    public static int ps(MemorySegment m, long at) {
        return m.get(U16, at + PS_OFFSET) & 0xFFFF;
    }

    public static void ps(MemorySegment m, long at, int value) {
        m.set(U16, at + PS_OFFSET, (short) value);
    }

    /** {@code enum ibv_qp_type} of the queue pair to come. */
    public static int qpType(MemorySegment m, long at) {
        return m.get(U8, at + QP_TYPE_OFFSET) & 0xFF;
    }

    public static void qpType(MemorySegment m, long at, int value) {
        m.set(U8, at + QP_TYPE_OFFSET, (byte) value);
    }
}
