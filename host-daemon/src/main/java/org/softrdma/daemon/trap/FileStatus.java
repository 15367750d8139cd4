// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import org.softrdma.linux.process.Architecture;

/**
 * Changes the status of a file into that of a character device. Source: the kernel's {@code arch/x86/include/uapi/asm/stat.h} and
 * {@code include/uapi/asm-generic/stat.h} for struct stat, {@code include/uapi/linux/stat.h} for struct statx.
 */
final class FileStatus {
    /** Bytes of struct stat. */
    static final int STAT_BYTES = isX86() ? 144 : 128;

    private static final int STAT_MODE = isX86() ? 24 : 16;
    private static final int STAT_RDEV = isX86() ? 40 : 32;
    private static final int STAT_SIZE = 48;
    private static final int STAT_BLOCKS = 64;
    private static final int STATX_MODE = 28;
    private static final int STATX_SIZE = 40;
    private static final int STATX_BLOCKS = 48;
    private static final int STATX_RDEV_MAJOR = 128;
    private static final int STATX_RDEV_MINOR = 132;
    /** S_IFCHR, and reading and writing for all: the mode of devices that udev does not restrict, as with the kernel's RDMA devices. */
    private static final int MODE = 0x2000 | 0666;

    private FileStatus() {
    }

    private static boolean isX86() {
        return Architecture.current() == Architecture.X86_64;
    }

    /** Changes a struct stat. */
    static void toDevice(MemorySegment stat, DeviceNode node) {
        stat.set(JAVA_INT, STAT_MODE, MODE);
        stat.set(JAVA_LONG, STAT_RDEV, node.number().packed());
        stat.set(JAVA_LONG, STAT_SIZE, 0);
        stat.set(JAVA_LONG, STAT_BLOCKS, 0);
    }

    /** Changes a struct statx. */
    static void toDeviceX(MemorySegment statx, DeviceNode node) {
        statx.set(JAVA_SHORT, STATX_MODE, (short) MODE);
        statx.set(JAVA_LONG, STATX_SIZE, 0);
        statx.set(JAVA_LONG, STATX_BLOCKS, 0);
        statx.set(JAVA_INT, STATX_RDEV_MAJOR, node.number().major());
        statx.set(JAVA_INT, STATX_RDEV_MINOR, node.number().minor());
    }
}
