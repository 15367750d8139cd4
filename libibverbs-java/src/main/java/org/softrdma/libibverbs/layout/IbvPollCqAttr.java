// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Arguments of a poll. Source: {@code struct ibv_poll_cq_attr} of {@code infiniband/verbs.h}. */
public final class IbvPollCqAttr {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** No bit is defined. */
    public static final U32 COMP_MASK = new U32(0);

    private IbvPollCqAttr() {
    }
}
