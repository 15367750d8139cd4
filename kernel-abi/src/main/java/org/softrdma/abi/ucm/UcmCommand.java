// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Head of a command written to the rdma_cm descriptor; the body follows.
 *
 * <p>Source: {@code struct rdma_ucm_cmd_hdr}.
 */
public final class UcmCommand {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int CMD_OFFSET = 0;
    /** u16. */
    public static final int IN_OFFSET = 4;
    /** u16. */
    public static final int OUT_OFFSET = 6;
    /** {@link UcmCreateId}, answered by {@link UcmIdResponse}. */
    public static final int CREATE_ID = 0;
    /** {@link UcmDestroyId}, answered by {@link UcmEventsReported}. */
    public static final int DESTROY_ID = 1;
    /** {@link UcmBindIp}; libraries without AF_IB. */
    public static final int BIND_IP = 2;
    /** {@link UcmResolveIp}; libraries without AF_IB. */
    public static final int RESOLVE_IP = 3;
    /** {@link UcmResolveRoute}. */
    public static final int RESOLVE_ROUTE = 4;
    /** {@link UcmQuery}, answered by {@link UcmQueryRouteResponse}; libraries without AF_IB. */
    public static final int QUERY_ROUTE = 5;
    /** {@link UcmConnect}. */
    public static final int CONNECT = 6;
    /** {@link UcmListen}. */
    public static final int LISTEN = 7;
    /** {@link UcmAccept}. */
    public static final int ACCEPT = 8;
    /** {@link UcmReject}. */
    public static final int REJECT = 9;
    /** {@link UcmDisconnect}. */
    public static final int DISCONNECT = 10;
    /** {@link UcmInitQpAttr}, answered by a record of the verbs ABI, {@code ib_uverbs_qp_attr}. */
    public static final int INIT_QP_ATTR = 11;
    /** {@link UcmGetEvent}, answered by {@link UcmEvent}. */
    public static final int GET_EVENT = 12;
    /** No command of the kernel: ENOSYS. */
    public static final int GET_OPTION = 13;
    /** {@link UcmSetOption}. */
    public static final int SET_OPTION = 14;
    /** {@link UcmNotify}. */
    public static final int NOTIFY = 15;
    /** {@link UcmJoinIpMcast}, answered by {@link UcmIdResponse}; libraries without AF_IB. */
    public static final int JOIN_IP_MCAST = 16;
    /** {@link UcmDestroyId}, answered by {@link UcmEventsReported}. */
    public static final int LEAVE_MCAST = 17;
    /** {@link UcmMigrateId}, answered by {@link UcmEventsReported}. */
    public static final int MIGRATE_ID = 18;
    /** {@link UcmQuery}, answered as its option says. */
    public static final int QUERY = 19;
    /** {@link UcmBind}. */
    public static final int BIND = 20;
    /** {@link UcmResolveAddress}. */
    public static final int RESOLVE_ADDR = 21;
    /** {@link UcmJoinMcast}, answered by {@link UcmIdResponse}. */
    public static final int JOIN_MCAST = 22;
    /** Version of the ABI. */
    public static final int ABI_VERSION = 4;
    /** Bytes of private data that commands and events have room for. */
    public static final int MAX_PRIVATE_DATA = 256;

    private UcmCommand() {
    }

    /** Number of the command, one of the constants of this class. */
    public static int cmd(MemorySegment m, long at) {
        return m.get(U32, at + CMD_OFFSET);
    }

    public static void cmd(MemorySegment m, long at, int value) {
        m.set(U32, at + CMD_OFFSET, value);
    }

    /** Bytes of the body. */
    public static int in(MemorySegment m, long at) {
        return m.get(U16, at + IN_OFFSET) & 0xFFFF;
    }

    public static void in(MemorySegment m, long at, int value) {
        m.set(U16, at + IN_OFFSET, (short) value);
    }

    /** Bytes of room for the response. */
    public static int out(MemorySegment m, long at) {
        return m.get(U16, at + OUT_OFFSET) & 0xFFFF;
    }

    public static void out(MemorySegment m, long at, int value) {
        m.set(U16, at + OUT_OFFSET, (short) value);
    }
}
