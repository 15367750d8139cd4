// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Parameters of datagrams. Source: {@code struct rdma_ud_param} of {@code rdma/rdma_cma.h}. */
public final class RdmaUdParam {
    /** Size in bytes. */
    public static final int BYTES = 56;
    public static final Pointer PRIVATE_DATA = new Pointer(0);
    public static final U8 PRIVATE_DATA_LEN = new U8(8);
    /** {@link IbvAhAttr}. */
    public static final Block AH_ATTR = new Block(16);
    public static final U32 QP_NUM = new U32(48);
    public static final U32 QKEY = new U32(52);

    private RdmaUdParam() {
    }
}
