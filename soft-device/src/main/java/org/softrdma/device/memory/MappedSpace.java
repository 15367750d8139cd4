// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.LongAdder;

/**
 * A mapped file. Should the file be cut off under its mapping, the JVM throws an InternalError, but not before the thread's next safepoint
 * poll, which may lie far from the access. So each access ends with one, inside the try block.
 */
final class MappedSpace implements AddressSpace {
    private final SegmentSpace mapped;
    private final LongAdder gone;
    /** Volatile, so that the loop over it stays a loop, with its poll. */
    private volatile int rounds = 2;

    MappedSpace(MemorySegment segment, LongAdder gone) {
        mapped = new SegmentSpace(segment, gone);
        this.gone = gone;
    }

    @Override
    public boolean copyOut(long address, MemorySegment to, long toOffset, long length) {
        try {
            boolean done = mapped.copyOut(address, to, toOffset, length);
            poll();
            return done;
        } catch (InternalError cutOff) {
            gone.increment();
            return false;
        }
    }

    @Override
    public boolean copyIn(long address, MemorySegment from, long fromOffset, long length) {
        try {
            boolean done = mapped.copyIn(address, from, fromOffset, length);
            poll();
            return done;
        } catch (InternalError cutOff) {
            gone.increment();
            return false;
        }
    }

    @Override
    public boolean compareAndSwap(long address, long compare, long swap, long[] original) {
        try {
            boolean done = mapped.compareAndSwap(address, compare, swap, original);
            poll();
            return done;
        } catch (InternalError cutOff) {
            gone.increment();
            return false;
        }
    }

    @Override
    public boolean fetchAndAdd(long address, long add, long[] original) {
        try {
            boolean done = mapped.fetchAndAdd(address, add, original);
            poll();
            return done;
        } catch (InternalError cutOff) {
            gone.increment();
            return false;
        }
    }

    private void poll() {
        for (int i = 0; i < rounds; i++) {
            Thread.onSpinWait();
        }
    }
}
