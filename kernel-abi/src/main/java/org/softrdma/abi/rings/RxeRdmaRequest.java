// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Fields of WRITE and READ within a {@link RxeSendRecord}.
 *
 * <p>Source: {@code struct rxe_send_wqe}.
 */
public final class RxeRdmaRequest {
    /** Size in bytes. */
    public static final int BYTES = 208;
    /** u64. */
    public static final int REMOTE_ADDR_OFFSET = 24;
    /** u32. */
    public static final int RKEY_OFFSET = 32;

    private RxeRdmaRequest() {
    }

    /** Address at the peer. */
    public static long remoteAddr(MemorySegment m, long at) {
        return m.get(U64, at + REMOTE_ADDR_OFFSET);
    }

    public static void remoteAddr(MemorySegment m, long at, long value) {
        m.set(U64, at + REMOTE_ADDR_OFFSET, value);
    }

    /** Key at the peer. */
    public static int rkey(MemorySegment m, long at) {
        return m.get(U32, at + RKEY_OFFSET);
    }

    public static void rkey(MemorySegment m, long at, int value) {
        m.set(U32, at + RKEY_OFFSET, value);
    }
}
