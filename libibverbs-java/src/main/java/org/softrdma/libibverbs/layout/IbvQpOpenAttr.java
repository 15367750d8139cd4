// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Arguments of opening another's queue pair. Source: {@code struct ibv_qp_open_attr} of {@code infiniband/verbs.h}. */
public final class IbvQpOpenAttr {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** Fields that are set. */
    public static final U32 COMP_MASK = new U32(0);
    public static final U32 QP_NUM = new U32(4);
    public static final Pointer XRCD = new Pointer(8);
    public static final U32 QP_TYPE = new U32(24);

    /** Bits of {@link #COMP_MASK} ({@code enum ibv_qp_open_attr_mask}). */
    public static final int HAS_NUM = 1;
    public static final int HAS_XRCD = 1 << 1;
    public static final int HAS_TYPE = 1 << 3;

    private IbvQpOpenAttr() {
    }
}
