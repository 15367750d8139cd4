// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A completion queue. Source: {@code struct ibv_cq} of {@code infiniband/verbs.h}. */
public final class IbvCq {
    /** Size in bytes. */
    public static final int BYTES = 128;
    public static final U32 CQE = new U32(28);

    private IbvCq() {
    }
}
