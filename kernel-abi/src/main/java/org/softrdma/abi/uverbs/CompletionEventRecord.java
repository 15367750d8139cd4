// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Completion event, read from the descriptor of a completion channel.
 *
 * <p>Source: {@code struct ib_uverbs_comp_event_desc}.
 */
public final class CompletionEventRecord {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u64. */
    public static final int CQ_HANDLE_OFFSET = 0;

    private CompletionEventRecord() {
    }

    /** Cookie ({@code user_handle}) of the completion queue, not its handle. */
    public static long cqHandle(MemorySegment m, long at) {
        return m.get(U64, at + CQ_HANDLE_OFFSET);
    }

    public static void cqHandle(MemorySegment m, long at, long value) {
        m.set(U64, at + CQ_HANDLE_OFFSET, value);
    }
}
