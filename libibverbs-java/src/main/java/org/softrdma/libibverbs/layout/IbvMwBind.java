// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Request to bind a window of type 1. Source: {@code struct ibv_mw_bind} of {@code infiniband/verbs.h}. */
public final class IbvMwBind {
    /** Size in bytes. */
    public static final int BYTES = 48;
    public static final U64 WR_ID = new U64(0);
    public static final U32 SEND_FLAGS = new U32(8);
    /** {@link IbvMwBindInfo}. */
    public static final Block BIND_INFO = new Block(16);

    private IbvMwBind() {
    }
}
