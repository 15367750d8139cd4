// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Arguments of a parent domain's allocation. Source: {@code struct ibv_parent_domain_init_attr} of {@code infiniband/verbs.h}. */
public final class IbvParentDomainInitAttr {
    /** Size in bytes. */
    public static final int BYTES = 48;
    public static final Pointer PD = new Pointer(0);
    /** Null for none. */
    public static final Pointer TD = new Pointer(8);
    /** Allocators that are set: none. */
    public static final U32 COMP_MASK = new U32(16);

    private IbvParentDomainInitAttr() {
    }
}
