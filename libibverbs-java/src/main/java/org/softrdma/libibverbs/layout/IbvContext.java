// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** An open device. Its operations are pointers to functions. Source: {@code struct ibv_context} of {@code infiniband/verbs.h}. */
public final class IbvContext {
    /** Size in bytes. */
    public static final int BYTES = 328;
    public static final Pointer DEVICE = new Pointer(0);
    public static final U32 NUM_COMP_VECTORS = new U32(272);
    public static final U32 ASYNC_FD = new U32(268);
    /** All bits are set if {@link VerbsContext} is there. */
    public static final Pointer ABI_COMPAT = new Pointer(320);
    /** {@code ops.poll_cq}. */
    public static final Pointer POLL_CQ = new Pointer(96);
    /** {@code ops.req_notify_cq}. */
    public static final Pointer REQ_NOTIFY_CQ = new Pointer(104);
    /** {@code ops.post_send}. */
    public static final Pointer POST_SEND = new Pointer(208);
    /** {@code ops.post_recv}. */
    public static final Pointer POST_RECV = new Pointer(216);
    /** {@code ops.post_srq_recv}. */
    public static final Pointer POST_SRQ_RECV = new Pointer(168);
    /** {@code ops.alloc_mw}. */
    public static final Pointer ALLOC_MW = new Pointer(64);
    /** {@code ops.bind_mw}. */
    public static final Pointer BIND_MW = new Pointer(72);
    /** {@code ops.dealloc_mw}. */
    public static final Pointer DEALLOC_MW = new Pointer(80);

    private IbvContext() {
    }
}
