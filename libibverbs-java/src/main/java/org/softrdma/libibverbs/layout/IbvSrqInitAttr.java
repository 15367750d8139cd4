// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Arguments of a shared receive queue's creation. Source: {@code struct ibv_srq_init_attr} of {@code infiniband/verbs.h}. */
public final class IbvSrqInitAttr {
    /** Size in bytes. */
    public static final int BYTES = 24;
    /** {@link IbvSrqAttr}. */
    public static final Block ATTR = new Block(8);

    private IbvSrqInitAttr() {
    }
}
