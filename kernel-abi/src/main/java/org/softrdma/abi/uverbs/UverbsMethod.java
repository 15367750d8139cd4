// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

/** Method numbers of the ioctl, each within its object. Source: {@code uverbs_method*} enumerations. */
public final class UverbsMethod {
    // UverbsObject.DEVICE
    /** Runs a command of the legacy write interface. */
    public static final int INVOKE_WRITE = 0;
    /** Lists the handles of an object type. */
    public static final int INFO_HANDLES = 1;
    /** Answers with {@link QueryPortResponse}. */
    public static final int QUERY_PORT = 2;
    /** Makes the descriptor a context. */
    public static final int GET_CONTEXT = 3;
    /** Repeats the answer of GET_CONTEXT, for an imported descriptor. */
    public static final int QUERY_CONTEXT = 4;
    /** Lists the valid {@link GidEntry}s. */
    public static final int QUERY_GID_TABLE = 5;
    /** Answers with one {@link GidEntry}. */
    public static final int QUERY_GID_ENTRY = 6;

    // UverbsObject.PD
    /** Destroys; EBUSY while objects depend on it. */
    public static final int PD_DESTROY = 0;

    // UverbsObject.CQ
    /** Creates. */
    public static final int CQ_CREATE = 0;
    /** Destroys and answers with {@link DestroyCqResponse}. */
    public static final int CQ_DESTROY = 1;

    // UverbsObject.QP
    /** Creates. */
    public static final int QP_CREATE = 0;
    /** Destroys and answers with {@link DestroyResponse}. */
    public static final int QP_DESTROY = 1;

    // UverbsObject.SRQ
    /** Creates. */
    public static final int SRQ_CREATE = 0;
    /** Destroys and answers with {@link DestroyResponse}. */
    public static final int SRQ_DESTROY = 1;

    // UverbsObject.AH
    /** Destroys. */
    public static final int AH_DESTROY = 0;

    // UverbsObject.MR
    /** Registers device memory. */
    public static final int DM_MR_REG = 0;
    /** Deregisters. */
    public static final int MR_DESTROY = 1;
    /** Prefetches on-demand memory. */
    public static final int ADVISE_MR = 2;
    /** Queries a region of an imported context. */
    public static final int QUERY_MR = 3;
    /** Registers a dma-buf. */
    public static final int REG_DMABUF_MR = 4;

    // UverbsObject.MW
    /** Destroys. */
    public static final int MW_DESTROY = 0;

    // UverbsObject.FLOW
    /** Destroys. */
    public static final int FLOW_DESTROY = 0;

    // UverbsObject.XRCD
    /** Closes. */
    public static final int XRCD_DESTROY = 0;

    // UverbsObject.RWQ_IND_TBL
    /** Destroys. */
    public static final int RWQ_IND_TBL_DESTROY = 0;

    // UverbsObject.WQ
    /** Creates. */
    public static final int WQ_CREATE = 0;
    /** Destroys. */
    public static final int WQ_DESTROY = 1;

    // UverbsObject.FLOW_ACTION
    /** Creates. */
    public static final int FLOW_ACTION_ESP_CREATE = 0;
    /** Destroys. */
    public static final int FLOW_ACTION_DESTROY = 1;
    /** Modifies. */
    public static final int FLOW_ACTION_ESP_MODIFY = 2;

    // UverbsObject.DM
    /** Allocates. */
    public static final int DM_ALLOC = 0;
    /** Frees. */
    public static final int DM_FREE = 1;

    // UverbsObject.COUNTERS
    /** Creates. */
    public static final int COUNTERS_CREATE = 0;
    /** Destroys. */
    public static final int COUNTERS_DESTROY = 1;
    /** Reads. */
    public static final int COUNTERS_READ = 2;

    // UverbsObject.ASYNC_EVENT
    /** Opens the descriptor that {@link AsyncEventRecord}s are read from. */
    public static final int ASYNC_EVENT_ALLOC = 0;

    private UverbsMethod() {
    }
}
