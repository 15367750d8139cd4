// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.verbs.WrOpcode;
import org.softrdma.wire.roce.Opcode;

/** Opcodes of SEND and RDMA WRITE packets, by work request and place in the message. */
final class RequestOpcodes {
    private static final int FIRST = 0;
    private static final int MIDDLE = 1;
    private static final int LAST = 2;
    private static final int ONLY = 3;
    private static final int[][] TABLE = new int[WrOpcode.SEND_WITH_INV.value() + 1][];

    static {
        put(WrOpcode.SEND, Opcode.RC_SEND_FIRST, Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_LAST, Opcode.RC_SEND_ONLY);
        put(WrOpcode.SEND_WITH_IMM, Opcode.RC_SEND_FIRST, Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_LAST_WITH_IMMEDIATE,
            Opcode.RC_SEND_ONLY_WITH_IMMEDIATE);
        put(WrOpcode.SEND_WITH_INV, Opcode.RC_SEND_FIRST, Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_LAST_WITH_INVALIDATE,
            Opcode.RC_SEND_ONLY_WITH_INVALIDATE);
        put(WrOpcode.RDMA_WRITE, Opcode.RC_RDMA_WRITE_FIRST, Opcode.RC_RDMA_WRITE_MIDDLE, Opcode.RC_RDMA_WRITE_LAST,
            Opcode.RC_RDMA_WRITE_ONLY);
        put(WrOpcode.RDMA_WRITE_WITH_IMM, Opcode.RC_RDMA_WRITE_FIRST, Opcode.RC_RDMA_WRITE_MIDDLE,
            Opcode.RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE);
    }

    private RequestOpcodes() {
    }

    /** @param wrOpcode a {@link WrOpcode} value of a SEND or WRITE */
    static int of(int wrOpcode, boolean first, boolean last) {
        if (first) {
            return TABLE[wrOpcode][last ? ONLY : FIRST];
        }
        return TABLE[wrOpcode][last ? LAST : MIDDLE];
    }

    private static void put(WrOpcode opcode, int... firstMiddleLastOnly) {
        TABLE[opcode.value()] = firstMiddleLastOnly;
    }
}
