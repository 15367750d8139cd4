// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/**
 * An extended queue pair, which begins with {@link IbvQp}: functions that build work requests. It grows at its end, and no field gives its
 * size. A function is there if the driver has made the queue pair for its operation, which a driver older than the function refuses.
 *
 * <p>Source: {@code struct ibv_qp_ex} of {@code infiniband/verbs.h}.
 */
public final class IbvQpEx {
    /** Size in bytes in release 44. */
    public static final int BYTES = 352;
    /** wr_id of the next request. */
    public static final U64 WR_ID = new U64(168);
    /** Send flags of the next request. */
    public static final U32 WR_FLAGS = new U32(176);
    public static final Pointer WR_ATOMIC_CMP_SWP = new Pointer(184);
    public static final Pointer WR_ATOMIC_FETCH_ADD = new Pointer(192);
    public static final Pointer WR_BIND_MW = new Pointer(200);
    public static final Pointer WR_LOCAL_INV = new Pointer(208);
    public static final Pointer WR_RDMA_READ = new Pointer(216);
    public static final Pointer WR_RDMA_WRITE = new Pointer(224);
    public static final Pointer WR_RDMA_WRITE_IMM = new Pointer(232);
    public static final Pointer WR_SEND = new Pointer(240);
    public static final Pointer WR_SEND_IMM = new Pointer(248);
    public static final Pointer WR_SEND_INV = new Pointer(256);
    public static final Pointer WR_SET_UD_ADDR = new Pointer(272);
    public static final Pointer WR_SET_XRC_SRQN = new Pointer(280);
    public static final Pointer WR_SET_INLINE_DATA = new Pointer(288);
    public static final Pointer WR_SET_SGE = new Pointer(304);
    public static final Pointer WR_SET_SGE_LIST = new Pointer(312);
    public static final Pointer WR_START = new Pointer(320);
    public static final Pointer WR_COMPLETE = new Pointer(328);
    public static final Pointer WR_ABORT = new Pointer(336);
    public static final Pointer WR_ATOMIC_WRITE = new Pointer(344);

    /** Offset of {@code wr_flush}, the first field of release 45 that release 44 does not have. */
    public static final int WR_FLUSH_OFFSET = BYTES;

    private IbvQpEx() {
    }
}
