// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/**
 * An extended completion queue, which begins with {@link IbvCq}. The current completion's status and wr_id are fields; functions read the
 * others. Source: {@code struct ibv_cq_ex} of {@code infiniband/verbs.h}.
 */
public final class IbvCqEx {
    /** Size in bytes. */
    public static final int BYTES = 288;
    public static final U32 STATUS = new U32(132);
    public static final U64 WR_ID = new U64(136);
    public static final Pointer START_POLL = new Pointer(144);
    public static final Pointer NEXT_POLL = new Pointer(152);
    public static final Pointer END_POLL = new Pointer(160);
    public static final Pointer READ_OPCODE = new Pointer(168);
    public static final Pointer READ_VENDOR_ERR = new Pointer(176);
    public static final Pointer READ_BYTE_LEN = new Pointer(184);
    /** Four bytes in network byte order, or an invalidated rkey in the machine's. */
    public static final Pointer READ_IMM_DATA = new Pointer(192);
    public static final Pointer READ_QP_NUM = new Pointer(200);
    public static final Pointer READ_SRC_QP = new Pointer(208);
    public static final Pointer READ_WC_FLAGS = new Pointer(216);
    /** In cycles of the device's clock. */
    public static final Pointer READ_COMPLETION_TS = new Pointer(248);

    private IbvCqEx() {
    }
}
