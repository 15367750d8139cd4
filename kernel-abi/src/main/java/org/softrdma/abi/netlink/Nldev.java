// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.netlink;

/** Numbers of requests about RDMA devices: {@code enum rdma_nldev_command} and {@code enum rdma_nldev_attr}. */
public final class Nldev {
    /** Type of a message: RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, 0), to which the command is added. */
    public static final int TYPE = 5 << 10;

    /** Describes a device, or all of them. */
    public static final int GET = TYPE + 1;
    /** Describes a port, or all of a device. */
    public static final int PORT_GET = TYPE + 5;
    /** Describes the host. */
    public static final int SYS_GET = TYPE + 6;
    /** Describes a character device. */
    public static final int GET_CHARDEV = TYPE + 15;

    /** u32. */
    public static final int DEV_INDEX = 1;
    public static final int DEV_NAME = 2;
    /** u32; in answers to {@link #GET} the number of ports. */
    public static final int PORT_INDEX = 3;
    /** u64. */
    public static final int CAP_FLAGS = 4;
    public static final int FW_VERSION = 5;
    /** u64, in host order. */
    public static final int NODE_GUID = 6;
    /** u64, in host order. */
    public static final int SYS_IMAGE_GUID = 7;
    /** u8, {@code enum ibv_port_state}. */
    public static final int PORT_STATE = 12;
    /** u8. */
    public static final int PORT_PHYS_STATE = 13;
    /** u8: 1 CA, 4 RNIC. */
    public static final int DEV_NODE_TYPE = 14;
    /** u32: number of the network interface. Programs ignore {@link #NDEV_NAME} without it. */
    public static final int NDEV_INDEX = 50;
    public static final int NDEV_NAME = 51;
    /** u8: 1 if devices are visible in all network namespaces. */
    public static final int SYS_NETNS_MODE = 66;
    /** {@code roce} or {@code iw}. */
    public static final int DEV_PROTOCOL = 67;
    /** Text of a request: {@code uverbs}, {@code rdma_cm}. */
    public static final int CHARDEV_TYPE = 69;
    public static final int CHARDEV_NAME = 70;
    /** u64. */
    public static final int CHARDEV_ABI = 71;
    /** u64: the device's number as in struct stat. */
    public static final int CHARDEV = 72;
    /** u32, {@code enum rdma_driver_id}. */
    public static final int UVERBS_DRIVER_ID = 73;
    /** u8: 1 if registered memory is usable after fork, so that libraries need not protect it. */
    public static final int SYS_COPY_ON_FORK = 93;

    private Nldev() {
    }
}
