// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

/** Attribute numbers of the ioctl, each within its method. Source: {@code uverbs_attr*} enumerations. */
public final class UverbsAttribute {
    // Driver data, in any method
    /** Input for the driver. */
    public static final int UHW_IN = 0x1000;
    /** Output of the driver. */
    public static final int UHW_OUT = 0x1001;

    // UverbsMethod.INVOKE_WRITE
    /** Command without its 8 bytes of header. */
    public static final int CORE_IN = 0;
    /** Room for the response. */
    public static final int CORE_OUT = 1;
    /** Number, u32, one of {@link UverbsCommand}. */
    public static final int WRITE_CMD = 2;

    // UverbsMethod.QUERY_PORT
    /** Port, u8. */
    public static final int QUERY_PORT_PORT_NUM = 0;
    /** Output, {@link QueryPortResponse}. */
    public static final int QUERY_PORT_RESP = 1;

    // UverbsMethod.GET_CONTEXT
    /** Output, u32: completion vectors. */
    public static final int GET_CONTEXT_NUM_COMP_VECTORS = 0;
    /** Output, u64: {@link UverbsValue#CORE_SUPPORT_OPTIONAL_MR_ACCESS}. */
    public static final int GET_CONTEXT_CORE_SUPPORT = 1;

    // UverbsMethod.QUERY_CONTEXT
    /** Output, u32: completion vectors. */
    public static final int QUERY_CONTEXT_NUM_COMP_VECTORS = 0;
    /** Output, u64: as of GET_CONTEXT. */
    public static final int QUERY_CONTEXT_CORE_SUPPORT = 1;

    // UverbsMethod.QUERY_GID_TABLE
    /** Bytes of an entry, u32 or u64. */
    public static final int QUERY_GID_TABLE_ENTRY_SIZE = 0;
    /** Zero, u32. */
    public static final int QUERY_GID_TABLE_FLAGS = 1;
    /** Output, entries; EINVAL if the room does not suffice. */
    public static final int QUERY_GID_TABLE_RESP_ENTRIES = 2;
    /** Output, u64: number of entries. */
    public static final int QUERY_GID_TABLE_RESP_NUM_ENTRIES = 3;

    // UverbsMethod.QUERY_GID_ENTRY
    /** Port, u32. */
    public static final int QUERY_GID_ENTRY_PORT = 0;
    /** Index, u32. */
    public static final int QUERY_GID_ENTRY_GID_INDEX = 1;
    /** Zero, u32. */
    public static final int QUERY_GID_ENTRY_FLAGS = 2;
    /** Output, {@link GidEntry}. */
    public static final int QUERY_GID_ENTRY_RESP_ENTRY = 3;

    // UverbsMethod.INFO_HANDLES
    /** Object, u32 or u64. */
    public static final int INFO_OBJECT_ID = 0;
    /** Output, u32: number of handles. */
    public static final int INFO_TOTAL_HANDLES = 1;
    /** Output, u32 each. */
    public static final int INFO_HANDLES_LIST = 2;

    // UverbsMethod.ASYNC_EVENT_ALLOC
    /** New descriptor. */
    public static final int ASYNC_EVENT_ALLOC_FD_HANDLE = 0;

    // UverbsMethod.CQ_CREATE
    /** New handle. */
    public static final int CREATE_CQ_HANDLE = 0;
    /** Wanted entries, u32. */
    public static final int CREATE_CQ_CQE = 1;
    /** Cookie that events name, u64. */
    public static final int CREATE_CQ_USER_HANDLE = 2;
    /** Descriptor of the completion channel; optional. */
    public static final int CREATE_CQ_COMP_CHANNEL = 3;
    /** Completion vector, u32. */
    public static final int CREATE_CQ_COMP_VECTOR = 4;
    /** Bits, u32: 1 timestamps, 2 ignore overrun. */
    public static final int CREATE_CQ_FLAGS = 5;
    /** Output, u32: entries. */
    public static final int CREATE_CQ_RESP_CQE = 6;
    /** Descriptor for asynchronous events; optional. */
    public static final int CREATE_CQ_EVENT_FD = 7;

    // UverbsMethod.CQ_DESTROY
    /** Handle. */
    public static final int DESTROY_CQ_HANDLE = 0;
    /** Output, {@link DestroyCqResponse}. */
    public static final int DESTROY_CQ_RESP = 1;

    // UverbsMethod.QP_CREATE
    /** New handle. */
    public static final int CREATE_QP_HANDLE = 0;
    /** XRC domain of an XRC target. */
    public static final int CREATE_QP_XRCD_HANDLE = 1;
    /** Protection domain. */
    public static final int CREATE_QP_PD_HANDLE = 2;
    /** Shared receive queue; optional. */
    public static final int CREATE_QP_SRQ_HANDLE = 3;
    /** Completion queue of sends. */
    public static final int CREATE_QP_SEND_CQ_HANDLE = 4;
    /** Completion queue of receives. */
    public static final int CREATE_QP_RECV_CQ_HANDLE = 5;
    /** Indirection table; optional. */
    public static final int CREATE_QP_IND_TABLE_HANDLE = 6;
    /** Cookie that events name, u64. */
    public static final int CREATE_QP_USER_HANDLE = 7;
    /** Wanted sizes, {@link QpCapabilitiesRecord}. */
    public static final int CREATE_QP_CAP = 8;
    /** Type, u32 or u64: {@code enum ib_uverbs_qp_type}. */
    public static final int CREATE_QP_TYPE = 9;
    /** Bits, u32 or u64: {@code enum ib_uverbs_qp_create_flags}. */
    public static final int CREATE_QP_FLAGS = 10;
    /** Source number of raw queue pairs, u32. */
    public static final int CREATE_QP_SOURCE_QPN = 11;
    /** Descriptor for asynchronous events; optional. */
    public static final int CREATE_QP_EVENT_FD = 12;
    /** Output, granted sizes, {@link QpCapabilitiesRecord}. */
    public static final int CREATE_QP_RESP_CAP = 13;
    /** Output, u32: number of the queue pair. */
    public static final int CREATE_QP_RESP_QP_NUM = 14;

    // UverbsMethod.QP_DESTROY
    /** Handle. */
    public static final int DESTROY_QP_HANDLE = 0;
    /** Output, {@link DestroyResponse}. */
    public static final int DESTROY_QP_RESP = 1;

    // UverbsMethod.SRQ_CREATE
    /** New handle. */
    public static final int CREATE_SRQ_HANDLE = 0;
    /** Protection domain. */
    public static final int CREATE_SRQ_PD_HANDLE = 1;
    /** XRC domain; XRC only. */
    public static final int CREATE_SRQ_XRCD_HANDLE = 2;
    /** Completion queue; XRC and tag matching only. */
    public static final int CREATE_SRQ_CQ_HANDLE = 3;
    /** Cookie that events name, u64. */
    public static final int CREATE_SRQ_USER_HANDLE = 4;
    /** Wanted receives, u32. */
    public static final int CREATE_SRQ_MAX_WR = 5;
    /** Wanted scatter-gather elements, u32. */
    public static final int CREATE_SRQ_MAX_SGE = 6;
    /** Limit to arm, u32. */
    public static final int CREATE_SRQ_LIMIT = 7;
    /** Tags, u32; tag matching only. */
    public static final int CREATE_SRQ_MAX_NUM_TAGS = 8;
    /** Type, u32 or u64: 0 basic, 1 XRC, 2 tag matching. */
    public static final int CREATE_SRQ_TYPE = 9;
    /** Descriptor for asynchronous events; optional. */
    public static final int CREATE_SRQ_EVENT_FD = 10;
    /** Output, u32: receives. */
    public static final int CREATE_SRQ_RESP_MAX_WR = 11;
    /** Output, u32: scatter-gather elements. */
    public static final int CREATE_SRQ_RESP_MAX_SGE = 12;
    /** Output, u32: number that XRC peers name. */
    public static final int CREATE_SRQ_RESP_SRQ_NUM = 13;

    // UverbsMethod.SRQ_DESTROY
    /** Handle. */
    public static final int DESTROY_SRQ_HANDLE = 0;
    /** Output, {@link DestroyResponse}. */
    public static final int DESTROY_SRQ_RESP = 1;

    // Methods with a handle alone
    /** Handle of PD_DESTROY. */
    public static final int DESTROY_PD_HANDLE = 0;
    /** Handle of AH_DESTROY. */
    public static final int DESTROY_AH_HANDLE = 0;
    /** Handle of MR_DESTROY. */
    public static final int DESTROY_MR_HANDLE = 0;
    /** Handle of MW_DESTROY. */
    public static final int DESTROY_MW_HANDLE = 0;
    /** Handle of XRCD_DESTROY. */
    public static final int DESTROY_XRCD_HANDLE = 0;
    /** Handle of FLOW_DESTROY. */
    public static final int DESTROY_FLOW_HANDLE = 0;
    /** Handle of RWQ_IND_TBL_DESTROY. */
    public static final int DESTROY_RWQ_IND_TBL_HANDLE = 0;
    /** Handle of COUNTERS_DESTROY. */
    public static final int DESTROY_COUNTERS_HANDLE = 0;
    /** Handle of DM_FREE. */
    public static final int FREE_DM_HANDLE = 0;

    // UverbsMethod.ADVISE_MR
    /** Protection domain. */
    public static final int ADVISE_MR_PD_HANDLE = 0;
    /** Advice, u32 or u64: 0 prefetch, 1 for writing, 2 without faults. */
    public static final int ADVISE_MR_ADVICE = 1;
    /** Bits, u32: 1 wait until it is done. */
    public static final int ADVISE_MR_FLAGS = 2;
    /** Elements of 16 bytes: u64 address, u32 length, u32 lkey. */
    public static final int ADVISE_MR_SGE_LIST = 3;

    // UverbsMethod.QUERY_MR
    /** Handle. */
    public static final int QUERY_MR_HANDLE = 0;
    /** Output, u32. */
    public static final int QUERY_MR_RESP_LKEY = 1;
    /** Output, u32. */
    public static final int QUERY_MR_RESP_RKEY = 2;
    /** Output, u64. */
    public static final int QUERY_MR_RESP_LENGTH = 3;
    /** Output, u64. */
    public static final int QUERY_MR_RESP_IOVA = 4;

    // UverbsMethod.REG_DMABUF_MR
    /** New handle. */
    public static final int REG_DMABUF_MR_HANDLE = 0;
    /** Protection domain. */
    public static final int REG_DMABUF_MR_PD_HANDLE = 1;
    /** Offset in the dma-buf, u64. */
    public static final int REG_DMABUF_MR_OFFSET = 2;
    /** Bytes, u64. */
    public static final int REG_DMABUF_MR_LENGTH = 3;
    /** Address for work requests, u64. */
    public static final int REG_DMABUF_MR_IOVA = 4;
    /** Descriptor of the dma-buf, u32. */
    public static final int REG_DMABUF_MR_FD = 5;
    /** Access, u32. */
    public static final int REG_DMABUF_MR_ACCESS_FLAGS = 6;
    /** Output, u32. */
    public static final int REG_DMABUF_MR_RESP_LKEY = 7;
    /** Output, u32. */
    public static final int REG_DMABUF_MR_RESP_RKEY = 8;

    private UverbsAttribute() {
    }
}
