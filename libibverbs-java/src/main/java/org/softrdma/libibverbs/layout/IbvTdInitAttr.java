// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Arguments of a thread domain's allocation. Source: {@code struct ibv_td_init_attr} of {@code infiniband/verbs.h}. */
public final class IbvTdInitAttr {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** No bit is defined. */
    public static final U32 COMP_MASK = new U32(0);

    private IbvTdInitAttr() {
    }
}
