// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Operations a {@link SendBatch} is made for ({@code enum ibv_qp_create_send_ops_flags}). */
public final class SendOps {
    /** Allows {@link WrOpcode#RDMA_WRITE}. */
    public static final int RDMA_WRITE = 1;
    /** Allows {@link WrOpcode#RDMA_WRITE_WITH_IMM}. */
    public static final int RDMA_WRITE_WITH_IMM = 1 << 1;
    /** Allows {@link WrOpcode#SEND}. */
    public static final int SEND = 1 << 2;
    /** Allows {@link WrOpcode#SEND_WITH_IMM}. */
    public static final int SEND_WITH_IMM = 1 << 3;
    /** Allows {@link WrOpcode#RDMA_READ}. */
    public static final int RDMA_READ = 1 << 4;
    /** Allows {@link WrOpcode#ATOMIC_CMP_AND_SWP}. */
    public static final int ATOMIC_CMP_AND_SWP = 1 << 5;
    /** Allows {@link WrOpcode#ATOMIC_FETCH_AND_ADD}. */
    public static final int ATOMIC_FETCH_AND_ADD = 1 << 6;
    /** Allows {@link WrOpcode#LOCAL_INV}. */
    public static final int LOCAL_INV = 1 << 7;
    /** Allows {@link WrOpcode#BIND_MW}. */
    public static final int BIND_MW = 1 << 8;
    /** Allows {@link WrOpcode#SEND_WITH_INV}. */
    public static final int SEND_WITH_INV = 1 << 9;
    /** Segmentation of TCP, which no device here has. */
    public static final int TSO = 1 << 10;
    /** Allows {@link WrOpcode#FLUSH}. */
    public static final int FLUSH = 1 << 11;
    /** Allows {@link WrOpcode#ATOMIC_WRITE}. */
    public static final int ATOMIC_WRITE = 1 << 12;

    private static final int UD_OPERATIONS = SEND | SEND_WITH_IMM;
    private static final int UC_OPERATIONS = UD_OPERATIONS | SEND_WITH_INV | RDMA_WRITE | RDMA_WRITE_WITH_IMM | LOCAL_INV | BIND_MW;
    private static final int RC_OPERATIONS = UC_OPERATIONS | RDMA_READ | ATOMIC_CMP_AND_SWP | ATOMIC_FETCH_AND_ADD | FLUSH
        | ATOMIC_WRITE;

    private SendOps() {
    }

    /**
     * Lists the operations of a service.
     *
     * @param service of a queue pair
     * @return their flags; 0 for an XRC target, which sends nothing
     */
    public static int of(QpType service) {
        return switch (service) {
            case RC, XRC_SEND -> RC_OPERATIONS;
            case UC -> UC_OPERATIONS;
            case UD -> UD_OPERATIONS;
            case XRC_RECV -> 0;
        };
    }

    /**
     * Converts an operation.
     *
     * @param opcode of a work request
     * @return its flag
     */
    public static int of(WrOpcode opcode) {
        return switch (opcode) {
            case FLUSH -> FLUSH;
            case ATOMIC_WRITE -> ATOMIC_WRITE;
            default -> 1 << opcode.value();
        };
    }
}
