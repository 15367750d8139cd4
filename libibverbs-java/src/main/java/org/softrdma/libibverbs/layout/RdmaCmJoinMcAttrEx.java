// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Arguments of a join. Source: {@code struct rdma_cm_join_mc_attr_ex} of {@code rdma/rdma_cma.h}. */
public final class RdmaCmJoinMcAttrEx {
    /** Size in bytes. */
    public static final int BYTES = 16;
    public static final U32 COMP_MASK = new U32(0);
    public static final U32 JOIN_FLAGS = new U32(4);
    public static final Pointer ADDR = new Pointer(8);

    private RdmaCmJoinMcAttrEx() {
    }
}
