// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Operations a {@link SendBatch} is made for ({@code enum ibv_qp_create_send_ops_flags}). */
public final class SendOps {
    public static final int RDMA_WRITE = 1;
    public static final int RDMA_WRITE_WITH_IMM = 1 << 1;
    public static final int SEND = 1 << 2;
    public static final int SEND_WITH_IMM = 1 << 3;
    public static final int RDMA_READ = 1 << 4;
    public static final int ATOMIC_CMP_AND_SWP = 1 << 5;
    public static final int ATOMIC_FETCH_AND_ADD = 1 << 6;
    public static final int LOCAL_INV = 1 << 7;
    public static final int BIND_MW = 1 << 8;
    public static final int SEND_WITH_INV = 1 << 9;
    public static final int TSO = 1 << 10;
    public static final int FLUSH = 1 << 11;
    public static final int ATOMIC_WRITE = 1 << 12;

    private static final int UD_OPERATIONS = SEND | SEND_WITH_IMM;
    private static final int UC_OPERATIONS = UD_OPERATIONS | SEND_WITH_INV | RDMA_WRITE | RDMA_WRITE_WITH_IMM | LOCAL_INV | BIND_MW;
    private static final int RC_OPERATIONS = UC_OPERATIONS | RDMA_READ | ATOMIC_CMP_AND_SWP | ATOMIC_FETCH_AND_ADD | FLUSH
        | ATOMIC_WRITE;

    private SendOps() {
    }

    /** Returns the flags of a service's operations; 0 for an XRC target, which sends nothing. */
    public static int of(QpType service) {
        return switch (service) {
            case RC, XRC_SEND -> RC_OPERATIONS;
            case UC -> UC_OPERATIONS;
            case UD -> UD_OPERATIONS;
            case XRC_RECV -> 0;
        };
    }

    /** Returns the flag of an operation. */
    public static int of(WrOpcode opcode) {
        return switch (opcode) {
            case FLUSH -> FLUSH;
            case ATOMIC_WRITE -> ATOMIC_WRITE;
            default -> 1 << opcode.value();
        };
    }
}
