// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.softrdma.device.memory.AddressSpace;

/** Address space of a program that a test plays: a segment whose addresses are offsets. An access beyond it throws. */
record PlayedSpace(MemorySegment memory) implements AddressSpace {
    @Override
    public boolean copyOut(long address, MemorySegment to, long toOffset, long length) {
        MemorySegment.copy(memory, address, to, toOffset, length);
        return true;
    }

    @Override
    public boolean copyIn(long address, MemorySegment from, long fromOffset, long length) {
        MemorySegment.copy(from, fromOffset, memory, address, length);
        return true;
    }

    @Override
    public boolean compareAndSwap(long address, long compare, long swap, long[] original) {
        original[0] = memory.get(ValueLayout.JAVA_LONG, address);
        if (original[0] == compare) {
            memory.set(ValueLayout.JAVA_LONG, address, swap);
        }
        return true;
    }

    @Override
    public boolean fetchAndAdd(long address, long add, long[] original) {
        original[0] = memory.get(ValueLayout.JAVA_LONG, address);
        memory.set(ValueLayout.JAVA_LONG, address, original[0] + add);
        return true;
    }

    @Override
    public boolean store(long address, long value) {
        memory.set(ValueLayout.JAVA_LONG, address, value);
        return true;
    }

    @Override
    public boolean flush(long address, long length, boolean persistent) {
        return !persistent;
    }
}
