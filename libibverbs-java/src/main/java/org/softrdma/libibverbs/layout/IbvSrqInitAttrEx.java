// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Arguments of an extended shared receive queue's creation. Source: {@code struct ibv_srq_init_attr_ex} of {@code infiniband/verbs.h}. */
public final class IbvSrqInitAttrEx {
    /** Size in bytes. */
    public static final int BYTES = 64;
    /** {@link IbvSrqAttr}. */
    public static final Block ATTR = new Block(8);
    /** Fields after this one that are set. */
    public static final U32 COMP_MASK = new U32(20);
    public static final U32 SRQ_TYPE = new U32(24);
    public static final Pointer PD = new Pointer(32);
    public static final Pointer XRCD = new Pointer(40);
    public static final Pointer CQ = new Pointer(48);

    /** Bits of {@link #COMP_MASK} ({@code enum ibv_srq_init_attr_mask}). */
    public static final int HAS_TYPE = 1;
    public static final int HAS_PD = 1 << 1;
    public static final int HAS_XRCD = 1 << 2;
    public static final int HAS_CQ = 1 << 3;

    /** Value of {@link #SRQ_TYPE} ({@code IBV_SRQT_XRC}). */
    public static final int XRC = 1;

    private IbvSrqInitAttrEx() {
    }
}
