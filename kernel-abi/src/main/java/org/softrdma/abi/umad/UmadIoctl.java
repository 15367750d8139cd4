// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.umad;

/** The ioctls of {@code /dev/infiniband/umadN}. Source: {@code rdma_user_ioctl.h}, {@code ib_user_mad.h}. */
public final class UmadIoctl {
    /** Version that sysfs shows. */
    public static final int ABI_VERSION = 5;
    /** With {@link UmadRegisterAgent}. */
    public static final int REGISTER_AGENT = 0xc01c1b01;
    /** With the address of an agent's number, u32. */
    public static final int UNREGISTER_AGENT = 0x40041b02;
    /** Without argument: headers have an index of the partition key from now on. */
    public static final int ENABLE_PKEY = 0x1b03;
    /** With {@link UmadRegisterAgent2}. */
    public static final int REGISTER_AGENT2 = 0xc0281b04;

    private UmadIoctl() {
    }
}
