// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Fields of a datagram within a {@link RxeSendRecord}.
 *
 * <p>Source: {@code struct rxe_send_wqe}.
 */
public final class RxeDatagramRequest {
    /** Size in bytes. */
    public static final int BYTES = 208;
    /** u32. */
    public static final int REMOTE_QPN_OFFSET = 24;
    /** u32. */
    public static final int REMOTE_QKEY_OFFSET = 28;
    /** u16. */
    public static final int PKEY_INDEX_OFFSET = 32;
    /** u32. */
    public static final int AH_NUM_OFFSET = 36;
    /** {@link RxeAddressVector}: address of the peer if {@code ah_num} is 0. */
    public static final int AV_OFFSET = 56;

    private RxeDatagramRequest() {
    }

    /** Queue pair at the peer, u24. */
    public static int remoteQpn(MemorySegment m, long at) {
        return m.get(U32, at + REMOTE_QPN_OFFSET);
    }

    public static void remoteQpn(MemorySegment m, long at, int value) {
        m.set(U32, at + REMOTE_QPN_OFFSET, value);
    }

    /** Queue key. */
    public static int remoteQkey(MemorySegment m, long at) {
        return m.get(U32, at + REMOTE_QKEY_OFFSET);
    }

    public static void remoteQkey(MemorySegment m, long at, int value) {
        m.set(U32, at + REMOTE_QKEY_OFFSET, value);
    }

    /** Index of the partition key. */
    public static int pkeyIndex(MemorySegment m, long at) {
        return m.get(U16, at + PKEY_INDEX_OFFSET) & 0xFFFF;
    }

    public static void pkeyIndex(MemorySegment m, long at, int value) {
        m.set(U16, at + PKEY_INDEX_OFFSET, (short) value);
    }

    /** Number of the address handle; 0 from older libraries, which fill the address vector instead. */
    public static int ahNum(MemorySegment m, long at) {
        return m.get(U32, at + AH_NUM_OFFSET);
    }

    public static void ahNum(MemorySegment m, long at, int value) {
        m.set(U32, at + AH_NUM_OFFSET, value);
    }
}
