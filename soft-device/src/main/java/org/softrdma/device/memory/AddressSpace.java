// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.MemorySegment;

/**
 * Memory that registered regions live in. Callers have checked key, rights and bounds; an address space only moves bytes.
 * Every method answers false when the memory is gone (freed while registered), and then nothing is known of the target bytes.
 */
public interface AddressSpace {
    /** Copies {@code length} bytes from {@code address} of this space to {@code to}. */
    boolean copyOut(long address, MemorySegment to, long toOffset, long length);

    /** Copies {@code length} bytes from {@code from} to {@code address} of this space. */
    boolean copyIn(long address, MemorySegment from, long fromOffset, long length);

    /**
     * Atomically replaces the eight bytes at {@code address}, host order, by {@code swap} if they equal {@code compare}.
     *
     * @param original gets the old value at index 0
     */
    boolean compareAndSwap(long address, long compare, long swap, long[] original);

    /** Atomically adds to the eight bytes at {@code address}, host order. @param original gets the old value at index 0 */
    boolean fetchAndAdd(long address, long add, long[] original);

    /**
     * Stores the eight bytes at once.
     *
     * @param value in host order as they stand in memory
     * @return false also if the address is not 8-aligned in this space
     */
    boolean store(long address, long value);

    /**
     * Makes what was written before visible to every thread, and if asked to, persistent.
     *
     * @return false also if it cannot be made persistent
     */
    boolean flush(long address, long length, boolean persistent);
}
