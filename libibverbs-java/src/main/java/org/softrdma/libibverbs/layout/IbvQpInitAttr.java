// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/**
 * Arguments of a queue pair's creation; the library writes the granted sizes.
 *
 * <p>Source: {@code struct ibv_qp_init_attr} of {@code infiniband/verbs.h}.
 */
public final class IbvQpInitAttr {
    /** Size in bytes. */
    public static final int BYTES = 64;
    public static final Pointer SEND_CQ = new Pointer(8);
    public static final Pointer RECV_CQ = new Pointer(16);
    public static final Pointer SRQ = new Pointer(24);
    /** {@link IbvQpCap}. */
    public static final Block CAP = new Block(32);
    public static final U32 QP_TYPE = new U32(52);
    public static final U32 SQ_SIG_ALL = new U32(56);

    private IbvQpInitAttr() {
    }
}
