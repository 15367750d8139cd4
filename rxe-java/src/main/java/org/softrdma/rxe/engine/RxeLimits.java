// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import org.softrdma.verbs.DeviceAttributes;

/**
 * Limits of a device: kernel rxe 6.1's numbers, so that a program sized for one fits the other; 0 for facilities this device lacks.
 */
public final class RxeLimits {
    static final int MAX_QP = 1_048_560;
    public static final int MAX_QP_WR = 1 << 20;
    public static final int MAX_SGE = 32;
    public static final int MAX_INLINE = 512;
    static final int MAX_CQE = 32_767;
    static final int MAX_CQ = 1 << 20;
    static final int MAX_MR = (1 << 19) - 1;
    static final int MAX_MW = (1 << 19) - 1;
    public static final int MAX_RD_ATOMIC = 128;
    static final int MAX_AH = 32_767;
    /** Multicast groups. On a real link each group is a socket: the kernel's 8192 are more than a process may open. */
    static final int MAX_MCAST_GRP = 256;
    static final int MAX_MCAST_QP_ATTACH = 56;
    static final int MAX_SRQ = 917_503;
    static final int MAX_SRQ_WR = 1 << 20;
    static final int MAX_SRQ_SGE = 27;
    static final int MAX_XRCD = 1 << 16;
    public static final int GID_TABLE_LENGTH = 1024;
    /** Longest message as reported by rxe, bytes; like rxe, the device accepts IBA's 2^31. */
    public static final long MAX_MSG_SIZE = 0x800000;
    /**
     * BAD_PKEY_CNTR, BAD_QKEY_CNTR, UD_AV_PORT_ENFORCE, PORT_ACTIVE_EVENT, SYS_IMAGE_GUID, RC_RNR_NAK_GEN, SRQ_RESIZE, MEM_WINDOW, XRC,
     * MEM_WINDOW_TYPE_2B. Kernel rxe reports 0x01223c76: without XRC, and with flags of services that this device
     * lacks.
     */
    private static final int DEVICE_CAP_FLAGS = 1 << 1 | 1 << 2 | 1 << 6 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 17 | 1 << 20
        | 1 << 24;
    /** FLUSH_GLOBAL, FLUSH_PERSISTENT, ATOMIC_WRITE. */
    private static final long EXTENDED_CAP_FLAGS = 1L << 38 | 1L << 39 | 1L << 40;
    /** As kernel rxe says; the port's table has one. */
    private static final int MAX_PKEYS = 64;

    private RxeLimits() {
    }

    /** Attributes of a device on Ethernet: a system of its own. */
    public static DeviceAttributes attributes(long guid) {
        return attributes(guid, guid, MAX_PKEYS);
    }

    /**
     * Attributes of a device.
     *
     * @param guid       of the node
     * @param systemGuid of the system that the node is a part of
     * @param pkeys      entries of the P_Key table
     */
    public static DeviceAttributes attributes(long guid, long systemGuid, int pkeys) {
        return new DeviceAttributes("0.0.0", guid, systemGuid, -1L, 0xfffff000L, 0xffffff, 0, 0,
            MAX_QP, MAX_QP_WR, DEVICE_CAP_FLAGS, MAX_SGE, MAX_SGE, MAX_INLINE, MAX_CQ, MAX_CQE, MAX_MR, 1 << 20,
            MAX_RD_ATOMIC, 0x3f000, MAX_RD_ATOMIC, 1, MAX_MW, MAX_MCAST_GRP, MAX_MCAST_QP_ATTACH,
            MAX_MCAST_GRP * MAX_MCAST_QP_ATTACH, MAX_AH, MAX_SRQ, MAX_SRQ_WR, MAX_SRQ_SGE, pkeys, 15, 1,
            Runtime.getRuntime().availableProcessors(), EXTENDED_CAP_FLAGS | DEVICE_CAP_FLAGS);
    }
}
