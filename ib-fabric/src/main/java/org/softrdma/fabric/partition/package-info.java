// SPDX-License-Identifier: Apache-2.0
/**
 * Partitions of a subnet, as a file in opensm's form says them: {@link org.softrdma.fabric.partition.Partition}, their members, and
 * {@link org.softrdma.fabric.partition.PartitionReader}. Pure.
 */
package org.softrdma.fabric.partition;
