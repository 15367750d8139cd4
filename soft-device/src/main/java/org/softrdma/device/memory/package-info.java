// SPDX-License-Identifier: Apache-2.0
/**
 * Registered memory: keys, regions, windows and the access to their bytes.
 *
 * <p>Reading order: {@link org.softrdma.device.memory.MemoryTable}, the keys of a device; {@link org.softrdma.device.memory.Region}, the
 * memory that a key gives access to; {@link org.softrdma.device.memory.AddressSpace} with its implementations SegmentSpace and MappedSpace,
 * the copies and atomic operations; {@link org.softrdma.device.memory.PinnedMemory}, the limit of what a process may register.
 */
package org.softrdma.device.memory;
