// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.MemorySegment;

/**
 * The memory of registered regions. Callers have checked key, rights and bounds; an address space only moves bytes.
 * Every method returns false if the memory was freed while registered; the content of the target bytes is then undefined.
 */
public interface AddressSpace {
    /** Copies {@code length} bytes from {@code address} of this space to {@code to}. */
    boolean copyOut(long address, MemorySegment to, long toOffset, long length);

    /** Copies {@code length} bytes from {@code from} to {@code address} of this space. */
    boolean copyIn(long address, MemorySegment from, long fromOffset, long length);

    /**
     * Atomically replaces the eight bytes at {@code address}, host order, by {@code swap} if they equal {@code compare}.
     *
     * @param original receives the old value at index 0
     */
    boolean compareAndSwap(long address, long compare, long swap, long[] original);

    /**
     * Atomically adds to the eight bytes at {@code address}, host order.
     *
     * @param original receives the old value at index 0
     */
    boolean fetchAndAdd(long address, long add, long[] original);

    /**
     * Stores eight bytes atomically.
     *
     * @param value the eight bytes of memory, in host order
     * @return false also if the address is not 8-aligned in this space
     */
    boolean store(long address, long value);

    /**
     * Makes earlier writes visible to all threads and, on request, persistent.
     *
     * @param persistent also writes the range to persistent storage
     * @return false also if the range cannot be made persistent
     */
    boolean flush(long address, long length, boolean persistent);
}
