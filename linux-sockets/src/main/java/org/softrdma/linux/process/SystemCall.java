// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

/**
 * System calls that the filter of a program examines. {@link Architecture#call} translates the number of a notification.
 *
 * <p>Arguments are those of the man page of the same name, from {@link Notification#argument}. Source of the numbers: the kernel's
 * {@code arch/x86/entry/syscalls/syscall_64.tbl} and {@code include/uapi/asm-generic/unistd.h}.
 */
public enum SystemCall {
    OPEN(2, Architecture.NONE),
    OPENAT(257, 56),
    OPENAT2(437, 437),
    STAT(4, Architecture.NONE),
    LSTAT(6, Architecture.NONE),
    FSTAT(5, 80),
    /** {@code fstatat} of the C library. */
    NEWFSTATAT(262, 79),
    STATX(332, 291),
    ACCESS(21, Architecture.NONE),
    FACCESSAT(269, 48),
    FACCESSAT2(439, 439),
    READLINK(89, Architecture.NONE),
    READLINKAT(267, 78),
    GETXATTR(191, 8),
    LGETXATTR(192, 9),
    LISTXATTR(194, 11),
    LLISTXATTR(195, 12),
    IOCTL(16, 29),
    READ(0, 63),
    WRITE(1, 64),
    DUP(32, 23),
    DUP2(33, Architecture.NONE),
    DUP3(292, 24),
    FCNTL(72, 25),
    /** Notified for netlink sockets of the RDMA family. */
    SOCKET(41, 198),
    /** Notified on the numbers of netlink sockets, as is {@link #SENDMSG}. */
    SENDTO(44, 206),
    SENDMSG(46, 211),
    /** Never notified: refused on the numbers of verbs descriptors, as on a character device. */
    FTRUNCATE(77, 46),
    /** Never notified: refused on the numbers of verbs descriptors, as on a character device. */
    FALLOCATE(285, 47);

    final int x86;
    final int arm;

    SystemCall(int x86, int arm) {
        this.x86 = x86;
        this.arm = arm;
    }
}
