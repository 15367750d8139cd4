// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

/** Object numbers of the ioctl. Source: {@code enum uverbs_default_objects}. */
public final class UverbsObject {
    /** Device: no instances. */
    public static final int DEVICE = 0;
    /** Protection domains. */
    public static final int PD = 1;
    /** Completion channels, as descriptors. */
    public static final int COMP_CHANNEL = 2;
    /** Completion queues. */
    public static final int CQ = 3;
    /** Queue pairs. */
    public static final int QP = 4;
    /** Shared receive queues. */
    public static final int SRQ = 5;
    /** Address handles. */
    public static final int AH = 6;
    /** Memory regions. */
    public static final int MR = 7;
    /** Memory windows. */
    public static final int MW = 8;
    /** Flow rules. */
    public static final int FLOW = 9;
    /** XRC domains. */
    public static final int XRCD = 10;
    /** Indirection tables. */
    public static final int RWQ_IND_TBL = 11;
    /** Work queues. */
    public static final int WQ = 12;
    /** Actions of flow rules. */
    public static final int FLOW_ACTION = 13;
    /** Device memory. */
    public static final int DM = 14;
    /** Counters. */
    public static final int COUNTERS = 15;
    /** Asynchronous events, as a descriptor. */
    public static final int ASYNC_EVENT = 16;

    private UverbsObject() {
    }
}
