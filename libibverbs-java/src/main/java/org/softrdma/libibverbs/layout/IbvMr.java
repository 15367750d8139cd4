// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A memory region. Source: {@code struct ibv_mr} of {@code infiniband/verbs.h}. */
public final class IbvMr {
    /** Size in bytes. */
    public static final int BYTES = 48;
    public static final U32 LKEY = new U32(36);
    public static final U32 RKEY = new U32(40);

    private IbvMr() {
    }
}
