// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A send work request. Source: {@code struct ibv_send_wr} of {@code infiniband/verbs.h}. */
public final class IbvSendWr {
    /** Size in bytes. */
    public static final int BYTES = 128;
    public static final U64 WR_ID = new U64(0);
    public static final Pointer NEXT = new Pointer(8);
    public static final Pointer SG_LIST = new Pointer(16);
    public static final U32 NUM_SGE = new U32(24);
    public static final U32 OPCODE = new U32(28);
    public static final U32 SEND_FLAGS = new U32(32);
    public static final BigEndianU32 IMM_DATA = new BigEndianU32(36);
    public static final U32 INVALIDATE_RKEY = new U32(36);
    /** {@code wr.rdma.remote_addr}, and that of atomics. */
    public static final U64 REMOTE_ADDR = new U64(40);
    /** {@code wr.rdma.rkey}. */
    public static final U32 RKEY = new U32(48);
    /** {@code wr.atomic.compare_add}. */
    public static final U64 COMPARE_ADD = new U64(48);
    /** {@code wr.atomic.swap}. */
    public static final U64 SWAP = new U64(56);
    /** {@code wr.atomic.rkey}. */
    public static final U32 ATOMIC_RKEY = new U32(64);
    /** {@code wr.ud.ah}. */
    public static final Pointer AH = new Pointer(40);
    /** {@code wr.ud.remote_qpn}. */
    public static final U32 REMOTE_QPN = new U32(48);
    /** {@code wr.ud.remote_qkey}. */
    public static final U32 REMOTE_QKEY = new U32(52);
    /** {@code qp_type.xrc.remote_srqn}. */
    public static final U32 REMOTE_SRQN = new U32(72);
    /** {@code bind_mw.mw}. */
    public static final Pointer MW = new Pointer(80);
    /** {@code bind_mw.rkey}. */
    public static final U32 MW_RKEY = new U32(88);
    /** bind_mw.bind_info: {@link IbvMwBindInfo}. */
    public static final Block BIND_INFO = new Block(96);

    private IbvSendWr() {
    }
}
