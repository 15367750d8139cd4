// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A used entry of a GID table. Source: {@code struct ibv_gid_entry} of {@code infiniband/verbs.h}. */
public final class IbvGidEntry {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** 16 bytes as on the wire. */
    public static final Block GID = new Block(0);
    public static final U32 GID_INDEX = new U32(16);
    public static final U32 PORT_NUM = new U32(20);
    public static final U32 GID_TYPE = new U32(24);
    public static final U32 NDEV_IFINDEX = new U32(28);

    private IbvGidEntry() {
    }
}
