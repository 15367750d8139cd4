// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Attributes of a queue pair. Source: {@code struct ibv_qp_attr} of {@code infiniband/verbs.h}. */
public final class IbvQpAttr {
    /** Size in bytes. */
    public static final int BYTES = 144;
    public static final U32 QP_STATE = new U32(0);
    public static final U32 CUR_QP_STATE = new U32(4);
    public static final U32 PATH_MTU = new U32(8);
    public static final U32 QKEY = new U32(16);
    public static final U32 RQ_PSN = new U32(20);
    public static final U32 SQ_PSN = new U32(24);
    public static final U32 DEST_QP_NUM = new U32(28);
    public static final U32 QP_ACCESS_FLAGS = new U32(32);
    /** {@link IbvAhAttr}. */
    public static final Block AH_ATTR = new Block(56);
    public static final U16 PKEY_INDEX = new U16(120);
    public static final U8 EN_SQD_ASYNC_NOTIFY = new U8(124);
    public static final U8 MAX_RD_ATOMIC = new U8(126);
    public static final U8 MAX_DEST_RD_ATOMIC = new U8(127);
    public static final U8 MIN_RNR_TIMER = new U8(128);
    public static final U8 PORT_NUM = new U8(129);
    public static final U8 TIMEOUT = new U8(130);
    public static final U8 RETRY_CNT = new U8(131);
    public static final U8 RNR_RETRY = new U8(132);

    private IbvQpAttr() {
    }
}
