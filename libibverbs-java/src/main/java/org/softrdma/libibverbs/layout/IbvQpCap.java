// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Sizes of a queue pair. Source: {@code struct ibv_qp_cap} of {@code infiniband/verbs.h}. */
public final class IbvQpCap {
    /** Size in bytes. */
    public static final int BYTES = 20;
    public static final U32 MAX_SEND_WR = new U32(0);
    public static final U32 MAX_RECV_WR = new U32(4);
    public static final U32 MAX_SEND_SGE = new U32(8);
    public static final U32 MAX_RECV_SGE = new U32(12);
    public static final U32 MAX_INLINE_DATA = new U32(16);

    private IbvQpCap() {
    }
}
