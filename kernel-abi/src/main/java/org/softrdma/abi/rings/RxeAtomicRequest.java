// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Fields of the atomics within a {@link RxeSendRecord}.
 *
 * <p>Source: {@code struct rxe_send_wqe}.
 */
public final class RxeAtomicRequest {
    /** Size in bytes. */
    public static final int BYTES = 208;
    /** u64. */
    public static final int REMOTE_ADDR_OFFSET = 24;
    /** u64. */
    public static final int COMPARE_ADD_OFFSET = 32;
    /** u64. */
    public static final int SWAP_OFFSET = 40;
    /** u32. */
    public static final int RKEY_OFFSET = 48;

    private RxeAtomicRequest() {
    }

    /** Address at the peer, a multiple of 8. */
    public static long remoteAddr(MemorySegment m, long at) {
        return m.get(U64, at + REMOTE_ADDR_OFFSET);
    }

    public static void remoteAddr(MemorySegment m, long at, long value) {
        m.set(U64, at + REMOTE_ADDR_OFFSET, value);
    }

    /** Value to compare with, or to add. */
    public static long compareAdd(MemorySegment m, long at) {
        return m.get(U64, at + COMPARE_ADD_OFFSET);
    }

    public static void compareAdd(MemorySegment m, long at, long value) {
        m.set(U64, at + COMPARE_ADD_OFFSET, value);
    }

    /** Value to store if the comparison holds. */
    public static long swap(MemorySegment m, long at) {
        return m.get(U64, at + SWAP_OFFSET);
    }

    public static void swap(MemorySegment m, long at, long value) {
        m.set(U64, at + SWAP_OFFSET, value);
    }

    /** Key at the peer. */
    public static int rkey(MemorySegment m, long at) {
        return m.get(U32, at + RKEY_OFFSET);
    }

    public static void rkey(MemorySegment m, long at, int value) {
        m.set(U32, at + RKEY_OFFSET, value);
    }
}
