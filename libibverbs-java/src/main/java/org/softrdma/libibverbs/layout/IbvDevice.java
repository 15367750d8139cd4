// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A device of the list. Source: {@code struct ibv_device} of {@code infiniband/verbs.h}. */
public final class IbvDevice {
    /** Size in bytes. */
    public static final int BYTES = 664;
    public static final U32 NODE_TYPE = new U32(16);
    public static final U32 TRANSPORT_TYPE = new U32(20);
    /** Text with its zero. */
    public static final Block NAME = new Block(24);

    /** Bytes of {@link #NAME}. */
    public static final int NAME_BYTES = 64;

    private IbvDevice() {
    }
}
