// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A completion channel. Source: {@code struct ibv_comp_channel} of {@code infiniband/verbs.h}. */
public final class IbvCompChannel {
    /** Size in bytes. */
    public static final int BYTES = 16;
    public static final U32 FD = new U32(8);

    private IbvCompChannel() {
    }
}
