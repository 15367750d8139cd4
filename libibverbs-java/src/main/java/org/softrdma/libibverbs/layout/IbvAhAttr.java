// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Destination of packets. Source: {@code struct ibv_ah_attr} of {@code infiniband/verbs.h}. */
public final class IbvAhAttr {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** grh.dgid: 16 bytes as on the wire. */
    public static final Block DGID = new Block(0);
    /** {@code grh.flow_label}. */
    public static final U32 FLOW_LABEL = new U32(16);
    /** {@code grh.sgid_index}. */
    public static final U8 SGID_INDEX = new U8(20);
    /** {@code grh.hop_limit}. */
    public static final U8 HOP_LIMIT = new U8(21);
    /** {@code grh.traffic_class}. */
    public static final U8 TRAFFIC_CLASS = new U8(22);
    public static final U16 DLID = new U16(24);
    public static final U8 SL = new U8(26);
    public static final U8 IS_GLOBAL = new U8(29);
    public static final U8 PORT_NUM = new U8(30);

    private IbvAhAttr() {
    }
}
