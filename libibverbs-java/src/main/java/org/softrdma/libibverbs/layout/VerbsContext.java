// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/**
 * Extended operations of an open device, pointers to functions. The structure ends with {@code struct ibv_context}, by whose address it is
 * known, and grows at its beginning: the distance of a field from the end stays. Source: {@code struct verbs_context} of
 * {@code infiniband/verbs.h}.
 */
public final class VerbsContext {
    /** Size in bytes. */
    public static final int BYTES = 648;
    public static final Pointer ALLOC_PARENT_DOMAIN = new Pointer(112);
    public static final Pointer DEALLOC_TD = new Pointer(120);
    public static final Pointer ALLOC_TD = new Pointer(128);
    public static final Pointer QUERY_RT_VALUES = new Pointer(192);
    public static final Pointer CREATE_CQ_EX = new Pointer(200);
    public static final Pointer QUERY_DEVICE_EX = new Pointer(216);
    public static final Pointer OPEN_QP = new Pointer(256);
    public static final Pointer CREATE_QP_EX = new Pointer(264);
    public static final Pointer GET_SRQ_NUM = new Pointer(272);
    public static final Pointer CREATE_SRQ_EX = new Pointer(280);
    public static final Pointer OPEN_XRCD = new Pointer(288);
    public static final Pointer CLOSE_XRCD = new Pointer(296);
    /** Size of the structure as the library has it. */
    public static final U64 SZ = new U64(312);
    /** {@link IbvContext}. */
    public static final Block CONTEXT = new Block(320);

    private VerbsContext() {
    }
}
