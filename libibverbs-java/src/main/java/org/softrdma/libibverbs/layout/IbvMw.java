// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A memory window. Source: {@code struct ibv_mw} of {@code infiniband/verbs.h}. */
public final class IbvMw {
    /** Size in bytes. */
    public static final int BYTES = 32;
    public static final U32 RKEY = new U32(16);

    private IbvMw() {
    }
}
