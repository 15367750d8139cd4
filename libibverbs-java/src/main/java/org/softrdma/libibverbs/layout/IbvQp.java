// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A queue pair. Source: {@code struct ibv_qp} of {@code infiniband/verbs.h}. */
public final class IbvQp {
    /** Size in bytes. */
    public static final int BYTES = 160;
    public static final U32 QP_NUM = new U32(52);
    public static final U32 STATE = new U32(56);

    private IbvQp() {
    }
}
