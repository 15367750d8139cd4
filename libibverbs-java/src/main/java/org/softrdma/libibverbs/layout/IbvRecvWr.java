// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A receive work request. Source: {@code struct ibv_recv_wr} of {@code infiniband/verbs.h}. */
public final class IbvRecvWr {
    /** Size in bytes. */
    public static final int BYTES = 32;
    public static final U64 WR_ID = new U64(0);
    public static final Pointer NEXT = new Pointer(8);
    public static final Pointer SG_LIST = new Pointer(16);
    public static final U32 NUM_SGE = new U32(24);

    private IbvRecvWr() {
    }
}
