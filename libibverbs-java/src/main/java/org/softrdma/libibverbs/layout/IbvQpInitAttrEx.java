// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/**
 * Arguments of an extended queue pair's creation. It begins with the fields of {@link IbvQpInitAttr}.
 *
 * <p>Source: {@code struct ibv_qp_init_attr_ex} of {@code infiniband/verbs.h}.
 */
public final class IbvQpInitAttrEx {
    /** Size in bytes. */
    public static final int BYTES = 136;
    public static final Pointer SEND_CQ = new Pointer(8);
    public static final Pointer RECV_CQ = new Pointer(16);
    public static final Pointer SRQ = new Pointer(24);
    /** {@link IbvQpCap}. */
    public static final Block CAP = new Block(32);
    public static final U32 QP_TYPE = new U32(52);
    public static final U32 SQ_SIG_ALL = new U32(56);
    /** Fields after this one that are set. */
    public static final U32 COMP_MASK = new U32(60);
    public static final Pointer PD = new Pointer(64);
    public static final Pointer XRCD = new Pointer(72);
    public static final U64 SEND_OPS_FLAGS = new U64(128);

    /** Bits of {@link #COMP_MASK} ({@code enum ibv_qp_init_attr_mask}). */
    public static final int HAS_PD = 1;
    public static final int HAS_XRCD = 1 << 1;
    public static final int HAS_SEND_OPS_FLAGS = 1 << 6;

    private IbvQpInitAttrEx() {
    }
}
