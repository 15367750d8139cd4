// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** An identifier. Source: {@code struct rdma_cm_id} of {@code rdma/rdma_cma.h}. */
public final class RdmaCmId {
    /** Size in bytes. */
    public static final int BYTES = 416;
    /** Of {@link IbvContext}, or null. */
    public static final Pointer VERBS = new Pointer(0);
    public static final Pointer QP = new Pointer(24);
    /** {@code route.addr.src_addr}: a socket address. */
    public static final Block SRC_ADDR = new Block(32);
    /** {@code route.addr.dst_addr}: a socket address. */
    public static final Block DST_ADDR = new Block(160);
    public static final U8 PORT_NUM = new U8(348);
    /** Of {@link RdmaCmEvent}, in synchronous identifiers. */
    public static final Pointer EVENT = new Pointer(352);

    private RdmaCmId() {
    }
}
