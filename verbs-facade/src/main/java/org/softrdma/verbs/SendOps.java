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

    private SendOps() {
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
