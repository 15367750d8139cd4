// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Command REQ_NOTIFY_CQ; it has no answer.
 *
 * <p>Source: {@code struct ib_uverbs_req_notify_cq}.
 */
public final class ReqNotifyCqCommand {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int CQ_HANDLE_OFFSET = 0;
    /** u32. */
    public static final int SOLICITED_ONLY_OFFSET = 4;

    private ReqNotifyCqCommand() {
    }

    /** Completion queue. */
    public static int cqHandle(MemorySegment m, long at) {
        return m.get(U32, at + CQ_HANDLE_OFFSET);
    }

    public static void cqHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + CQ_HANDLE_OFFSET, value);
    }

    /** 0 for an event at the next completion, otherwise at the next solicited one or error. */
    public static int solicitedOnly(MemorySegment m, long at) {
        return m.get(U32, at + SOLICITED_ONLY_OFFSET);
    }

    public static void solicitedOnly(MemorySegment m, long at, int value) {
        m.set(U32, at + SOLICITED_ONLY_OFFSET, value);
    }
}
