// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A completion. Source: {@code struct ibv_wc} of {@code infiniband/verbs.h}. */
public final class IbvWc {
    /** Size in bytes. */
    public static final int BYTES = 48;
    public static final U64 WR_ID = new U64(0);
    public static final U32 STATUS = new U32(8);
    public static final U32 OPCODE = new U32(12);
    public static final U32 VENDOR_ERR = new U32(16);
    public static final U32 BYTE_LEN = new U32(20);
    public static final BigEndianU32 IMM_DATA = new BigEndianU32(24);
    public static final U32 INVALIDATED_RKEY = new U32(24);
    public static final U32 QP_NUM = new U32(28);
    public static final U32 SRC_QP = new U32(32);
    public static final U32 WC_FLAGS = new U32(36);

    private IbvWc() {
    }
}
