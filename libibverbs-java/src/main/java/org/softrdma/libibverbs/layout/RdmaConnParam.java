// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Parameters of a connection. Source: {@code struct rdma_conn_param} of {@code rdma/rdma_cma.h}. */
public final class RdmaConnParam {
    /** Size in bytes. */
    public static final int BYTES = 24;
    public static final Pointer PRIVATE_DATA = new Pointer(0);
    public static final U8 PRIVATE_DATA_LEN = new U8(8);
    public static final U8 RESPONDER_RESOURCES = new U8(9);
    public static final U8 INITIATOR_DEPTH = new U8(10);
    public static final U8 FLOW_CONTROL = new U8(11);
    public static final U8 RETRY_COUNT = new U8(12);
    public static final U8 RNR_RETRY_COUNT = new U8(13);
    public static final U8 SRQ = new U8(14);
    public static final U32 QP_NUM = new U32(16);

    private RdmaConnParam() {
    }
}
