// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

/** Command numbers of the legacy write interface, which INVOKE_WRITE carries. Source: {@code ib_user_verbs.h}. */
public final class UverbsCommand {
    /** Open, before the ioctl. */
    public static final int GET_CONTEXT = 0;
    /** {@link QueryDeviceResponse}. */
    public static final int QUERY_DEVICE = 1;
    /** Replaced by the method of the ioctl. */
    public static final int QUERY_PORT = 2;
    /** {@link AllocPdResponse}. */
    public static final int ALLOC_PD = 3;
    /** {@link HandleCommand}. */
    public static final int DEALLOC_PD = 4;
    /** {@link CreateAhCommand}. */
    public static final int CREATE_AH = 5;
    /** Not in the kernel. */
    public static final int MODIFY_AH = 6;
    /** Not in the kernel. */
    public static final int QUERY_AH = 7;
    /** {@link HandleCommand}. */
    public static final int DESTROY_AH = 8;
    /** {@link RegMrCommand}. */
    public static final int REG_MR = 9;
    /** Not in the kernel. */
    public static final int REG_SMR = 10;
    /** {@link ReregMrCommand}. */
    public static final int REREG_MR = 11;
    /** Not in the kernel. */
    public static final int QUERY_MR = 12;
    /** {@link HandleCommand}. */
    public static final int DEREG_MR = 13;
    /** {@link AllocMwCommand}. */
    public static final int ALLOC_MW = 14;
    /** Not in the kernel. */
    public static final int BIND_MW = 15;
    /** {@link HandleCommand}. */
    public static final int DEALLOC_MW = 16;
    /** {@link CreateCompChannelResponse}. */
    public static final int CREATE_COMP_CHANNEL = 17;
    /** Replaced by the method of the ioctl. */
    public static final int CREATE_CQ = 18;
    /** {@link ResizeCqCommand}. */
    public static final int RESIZE_CQ = 19;
    /** Replaced by the method of the ioctl. */
    public static final int DESTROY_CQ = 20;
    /** Not used by librxe and libsiw. */
    public static final int POLL_CQ = 21;
    /** Not in the kernel. */
    public static final int PEEK_CQ = 22;
    /** {@link ReqNotifyCqCommand}. */
    public static final int REQ_NOTIFY_CQ = 23;
    /** Replaced by the method of the ioctl. */
    public static final int CREATE_QP = 24;
    /** {@link QueryQpCommand}. */
    public static final int QUERY_QP = 25;
    /** {@link ModifyQpCommand}. */
    public static final int MODIFY_QP = 26;
    /** Replaced by the method of the ioctl. */
    public static final int DESTROY_QP = 27;
    /** Doorbell, by write(2): {@link PostSendCommand}. */
    public static final int POST_SEND = 28;
    /** Not used by librxe and libsiw. */
    public static final int POST_RECV = 29;
    /** {@link McastCommand}. */
    public static final int ATTACH_MCAST = 30;
    /** {@link McastCommand}. */
    public static final int DETACH_MCAST = 31;
    /** Replaced by the method of the ioctl. */
    public static final int CREATE_SRQ = 32;
    /** {@link ModifySrqCommand}. */
    public static final int MODIFY_SRQ = 33;
    /** {@link QuerySrqCommand}. */
    public static final int QUERY_SRQ = 34;
    /** Replaced by the method of the ioctl. */
    public static final int DESTROY_SRQ = 35;
    /** Not used by librxe and libsiw. */
    public static final int POST_SRQ_RECV = 36;
    /** {@link OpenXrcdCommand}. */
    public static final int OPEN_XRCD = 37;
    /** {@link HandleCommand}. */
    public static final int CLOSE_XRCD = 38;
    /** {@link CreateXsrqCommand}. */
    public static final int CREATE_XSRQ = 39;
    /** {@link OpenQpCommand}. */
    public static final int OPEN_QP = 40;

    // Extended commands: the number in WRITE_CMD carries EXTENDED as well
    /** Bit of extended commands. */
    public static final int EXTENDED = 1 << 31;
    /** {@link ExtendedQueryDeviceCommand}. */
    public static final int EXTENDED_QUERY_DEVICE = 1;
    /** {@link ExtendedModifyQpCommand}. */
    public static final int EXTENDED_MODIFY_QP = 26;
    /** Flow rules. */
    public static final int EXTENDED_CREATE_FLOW = 50;
    /** Flow rules. */
    public static final int EXTENDED_DESTROY_FLOW = 51;
    /** Work queues. */
    public static final int EXTENDED_CREATE_WQ = 52;
    /** Work queues. */
    public static final int EXTENDED_MODIFY_WQ = 53;
    /** Work queues. */
    public static final int EXTENDED_DESTROY_WQ = 54;
    /** Indirection tables. */
    public static final int EXTENDED_CREATE_RWQ_IND_TBL = 55;
    /** Indirection tables. */
    public static final int EXTENDED_DESTROY_RWQ_IND_TBL = 56;
    /** {@link ExtendedModifyCqCommand}. */
    public static final int EXTENDED_MODIFY_CQ = 57;

    private UverbsCommand() {
    }
}
