// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.sysfs;

/**
 * Number of a character device. Source: {@code include/linux/kdev_t.h} and {@code uverbs_main.c} and
 * {@code user_mad.c} in {@code drivers/infiniband/core} of Linux 6.1.
 *
 * @param major of the driver, 12 bits
 * @param minor of the device, 20 bits
 */
public record DeviceNumber(int major, int minor) {
    /** Of all InfiniBand devices but those of rdma_cm. */
    private static final int INFINIBAND_MAJOR = 231;
    private static final int UVERBS_FIRST_MINOR = 192;
    private static final int MISC_MAJOR = 10;
    private static final int LOW_MINOR = 0xff;

    /** Returns the number of uverbsN. */
    public static DeviceNumber uverbs(int n) {
        return new DeviceNumber(INFINIBAND_MAJOR, UVERBS_FIRST_MINOR + n);
    }

    /** Returns the number of umadN; the first 64 have fixed ones. */
    public static DeviceNumber umad(int n) {
        return new DeviceNumber(INFINIBAND_MAJOR, n);
    }

    /** Returns the number of a miscellaneous device, which rdma_cm is. */
    public static DeviceNumber misc(int minor) {
        return new DeviceNumber(MISC_MAJOR, minor);
    }

    /** Returns the number as the kernel packs it: the lower 8 bits of the minor number, 12 of the major, the rest of the minor. */
    public long packed() {
        return minor & LOW_MINOR | major << 8 | (long) (minor & ~LOW_MINOR) << 12;
    }

    /** Returns {@code MAJOR:MINOR}. */
    @Override
    public String toString() {
        return major + ":" + minor;
    }
}
