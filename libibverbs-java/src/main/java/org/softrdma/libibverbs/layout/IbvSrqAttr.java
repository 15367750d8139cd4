// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Sizes and limit of a shared receive queue. Source: {@code struct ibv_srq_attr} of {@code infiniband/verbs.h}. */
public final class IbvSrqAttr {
    /** Size in bytes. */
    public static final int BYTES = 12;
    public static final U32 MAX_WR = new U32(0);
    public static final U32 MAX_SGE = new U32(4);
    public static final U32 SRQ_LIMIT = new U32(8);

    private IbvSrqAttr() {
    }
}
