// SPDX-License-Identifier: Apache-2.0
/**
 * Texts of the files below {@code /sys/class} that libibverbs, librdmacm, libibumad and programs read. Source: {@code
 * drivers/infiniband/core/sysfs.c} and {@code uverbs_main.c} of the kernel, and what Linux 6.1 shows.
 *
 * <p>Reading order: {@link org.softrdma.abi.sysfs.SysfsDevice}, {@link org.softrdma.abi.sysfs.SysfsPort} and
 * {@link org.softrdma.abi.sysfs.SysfsGid}, the values; {@link org.softrdma.abi.sysfs.SysfsTree}, which makes paths and texts of them. No
 * class here touches a file.
 */
package org.softrdma.abi.sysfs;
