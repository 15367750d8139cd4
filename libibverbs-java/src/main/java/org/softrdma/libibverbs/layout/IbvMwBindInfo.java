// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Region and range of a binding. Source: {@code struct ibv_mw_bind_info} of {@code infiniband/verbs.h}. */
public final class IbvMwBindInfo {
    /** Size in bytes. */
    public static final int BYTES = 32;
    public static final Pointer MR = new Pointer(0);
    public static final U64 ADDR = new U64(8);
    public static final U64 LENGTH = new U64(16);
    public static final U32 MW_ACCESS_FLAGS = new U32(24);

    private IbvMwBindInfo() {
    }
}
