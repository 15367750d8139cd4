// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

/** Values of fields that only the kernel ABI knows. Those of the C API are in {@code org.softrdma.verbs}. */
public final class UverbsValue {
    // rdma_driver_id
    /** Driver rdma_rxe. */
    public static final int DRIVER_RXE = 14;
    /** Driver siw. */
    public static final int DRIVER_SIW = 18;

    // abi_version of /sys/class/infiniband_verbs
    /** Version of the interface of ib_uverbs. */
    public static final int ABI_VERSION = 6;
    /** Version of librxe's interface. Source: {@code drivers/infiniband/sw/rxe/rxe.h} of the kernel. */
    public static final int RXE_ABI_VERSION = 2;
    /** Version of libsiw's interface. */
    public static final int SIW_ABI_VERSION = 1;

    // ib_uverbs_core_support
    /** Unknown optional access flags are ignored. */
    public static final int CORE_SUPPORT_OPTIONAL_MR_ACCESS = 1;

    // ib_uverbs_access_flags beyond those of the C API
    /** Access flags that a device may ignore. */
    public static final int ACCESS_OPTIONAL_RANGE = 0x3FF00000;

    // ib_uverbs_qp_create_flags
    /** Own multicasts are not received. */
    public static final int QP_BLOCK_MULTICAST_LOOPBACK = 2;
    /** Every send completes. */
    public static final int QP_SQ_SIG_ALL = 0x1000;

    // ib_uverbs_query_port_flags
    /** Address handles need a GID: Ethernet. */
    public static final int PORT_GRH_REQUIRED = 1;

    // ib_uverbs_gid_type
    /** InfiniBand, and iWARP. */
    public static final int GID_TYPE_IB = 0;
    /** RoCE v1. */
    public static final int GID_TYPE_ROCE_V1 = 1;
    /** RoCE v2. */
    public static final int GID_TYPE_ROCE_V2 = 2;

    // ib_uverbs_ex_create_cq_flags
    /** Completions carry a time. */
    public static final int CQ_TIMESTAMPS = 1;
    /** An overrun is no error. */
    public static final int CQ_IGNORE_OVERRUN = 2;

    // siw
    /** Key of a ring that does not exist. */
    public static final int SIW_INVALID_KEY = 0x90000;

    private UverbsValue() {
    }
}
