// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Fields of a FLUSH within a {@link RxeSendRecord}.
 *
 * <p>Source: {@code include/uapi/rdma/rdma_user_rxe.h} of later kernels, {@code wr.flush}; Debian 12's does not have it.
 */
public final class RxeFlushRequest {
    /** Size in bytes. */
    public static final int BYTES = 208;
    /** u64. */
    public static final int REMOTE_ADDR_OFFSET = 24;
    /** u32. */
    public static final int LENGTH_OFFSET = 32;
    /** u32. */
    public static final int RKEY_OFFSET = 36;
    /** u8. */
    public static final int TYPE_OFFSET = 40;
    /** u8. */
    public static final int LEVEL_OFFSET = 41;

    private RxeFlushRequest() {
    }

    /** Address at the peer. */
    public static long remoteAddr(MemorySegment m, long at) {
        return m.get(U64, at + REMOTE_ADDR_OFFSET);
    }

    public static void remoteAddr(MemorySegment m, long at, long value) {
        m.set(U64, at + REMOTE_ADDR_OFFSET, value);
    }

    /** Bytes, unsigned. */
    public static int length(MemorySegment m, long at) {
        return m.get(U32, at + LENGTH_OFFSET);
    }

    public static void length(MemorySegment m, long at, int value) {
        m.set(U32, at + LENGTH_OFFSET, value);
    }

    /** Key at the peer. */
    public static int rkey(MemorySegment m, long at) {
        return m.get(U32, at + RKEY_OFFSET);
    }

    public static void rkey(MemorySegment m, long at, int value) {
        m.set(U32, at + RKEY_OFFSET, value);
    }

    /** Placement: 1 visible globally, 2 persistent. */
    public static int type(MemorySegment m, long at) {
        return m.get(U8, at + TYPE_OFFSET) & 0xFF;
    }

    public static void type(MemorySegment m, long at, int value) {
        m.set(U8, at + TYPE_OFFSET, (byte) value);
    }

    /** Selectivity: 0 the range, 1 the whole region. */
    public static int level(MemorySegment m, long at) {
        return m.get(U8, at + LEVEL_OFFSET) & 0xFF;
    }

    public static void level(MemorySegment m, long at, int value) {
        m.set(U8, at + LEVEL_OFFSET, (byte) value);
    }
}
