// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/** A native segment of this JVM. Addresses are offsets into it; its memory is freed when its arena is closed. */
final class SegmentSpace implements AddressSpace {
    private static final VarHandle U64 = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment segment;
    private final LongAdder gone;

    /**
     * Wraps a segment.
     *
     * @param gone counts accesses to freed memory
     */
    SegmentSpace(MemorySegment segment, LongAdder gone) {
        this.segment = segment;
        this.gone = gone;
    }

    @Override
    public boolean copyOut(long address, MemorySegment to, long toOffset, long length) {
        try {
            MemorySegment.copy(segment, address, to, toOffset, length);
            return true;
        } catch (IllegalStateException freed) {
            gone.increment();
            return false;
        }
    }

    @Override
    public boolean copyIn(long address, MemorySegment from, long fromOffset, long length) {
        try {
            MemorySegment.copy(from, fromOffset, segment, address, length);
            return true;
        } catch (IllegalStateException freed) {
            gone.increment();
            return false;
        }
    }

    @Override
    public boolean compareAndSwap(long address, long compare, long swap, long[] original) {
        try {
            original[0] = (long) U64.compareAndExchange(segment, address, compare, swap);
            return true;
        } catch (IllegalStateException freed) {
            gone.increment();
            return false;
        }
    }

    @Override
    public boolean fetchAndAdd(long address, long add, long[] original) {
        try {
            original[0] = (long) U64.getAndAdd(segment, address, add);
            return true;
        } catch (IllegalStateException freed) {
            gone.increment();
            return false;
        }
    }

    @Override
    public boolean store(long address, long value) {
        if ((segment.address() + address & 7) != 0) {
            return false;
        }
        try {
            U64.setVolatile(segment, address, value);
            return true;
        } catch (IllegalStateException freed) {
            gone.increment();
            return false;
        }
    }

    @Override
    public boolean flush(long address, long length, boolean persistent) {
        VarHandle.fullFence();
        return !persistent;
    }
}
