// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A scatter/gather element. Source: {@code struct ibv_sge} of {@code infiniband/verbs.h}. */
public final class IbvSge {
    /** Size in bytes. */
    public static final int BYTES = 16;
    public static final U64 ADDR = new U64(0);
    public static final U32 LENGTH = new U32(8);
    public static final U32 LKEY = new U32(12);

    private IbvSge() {
    }
}
