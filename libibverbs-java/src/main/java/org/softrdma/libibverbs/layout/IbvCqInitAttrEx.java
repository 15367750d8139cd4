// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Arguments of an extended completion queue's creation. Source: {@code struct ibv_cq_init_attr_ex} of {@code infiniband/verbs.h}. */
public final class IbvCqInitAttrEx {
    /** Size in bytes. */
    public static final int BYTES = 56;
    public static final U32 CQE = new U32(0);
    public static final Pointer CHANNEL = new Pointer(16);
    public static final U32 COMP_VECTOR = new U32(24);
    /** Fields that a reader can read. */
    public static final U64 WC_FLAGS = new U64(32);
    public static final U32 COMP_MASK = new U32(40);
    public static final Pointer PARENT_DOMAIN = new Pointer(48);

    /** Bit of {@link #COMP_MASK} ({@code IBV_CQ_INIT_ATTR_MASK_PD}). */
    public static final int PD = 1 << 1;

    /** Bits of {@link #WC_FLAGS} ({@code enum ibv_create_cq_wc_flags}). */
    public static final int WITH_BYTE_LEN = 1;
    public static final int WITH_IMM = 1 << 1;
    public static final int WITH_QP_NUM = 1 << 2;
    public static final int WITH_SRC_QP = 1 << 3;
    public static final int WITH_COMPLETION_TIMESTAMP = 1 << 7;

    private IbvCqInitAttrEx() {
    }
}
