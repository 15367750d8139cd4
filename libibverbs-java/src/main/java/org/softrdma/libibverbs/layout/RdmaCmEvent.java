// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** An event. Source: {@code struct rdma_cm_event} of {@code rdma/rdma_cma.h}. */
public final class RdmaCmEvent {
    /** Size in bytes. */
    public static final int BYTES = 80;
    public static final Pointer ID = new Pointer(0);
    public static final Pointer LISTEN_ID = new Pointer(8);
    public static final U32 EVENT = new U32(16);
    public static final U32 STATUS = new U32(20);
    /** {@code param.conn}: {@link RdmaConnParam}. */
    public static final Block CONN = new Block(24);
    /** {@code param.ud}: {@link RdmaUdParam}. */
    public static final Block UD = new Block(24);

    private RdmaCmEvent() {
    }
}
