// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * A mapped file. Should the file be cut off under its mapping, the JVM throws an InternalError, but not before the thread's next safepoint
 * poll, which may lie far from the access. So each access ends with one, inside the try block.
 */
final class MappedSpace implements AddressSpace {
    private final MemorySegment segment;
    private final SegmentSpace mapped;
    private final LongAdder gone;
    /** Volatile, so that the loop over it stays a loop, with its poll. */
    private volatile int rounds = 2;

    MappedSpace(MemorySegment segment, LongAdder gone) {
        this.segment = segment;
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

    @Override
    public boolean store(long address, long value) {
        try {
            boolean done = mapped.store(address, value);
            poll();
            return done;
        } catch (InternalError cutOff) {
            gone.increment();
            return false;
        }
    }

    /** Takes as long as the file system does: the device waits for it. */
    @Override
    public boolean flush(long address, long length, boolean persistent) {
        VarHandle.fullFence();
        if (!persistent) {
            return true;
        }
        try {
            segment.asSlice(address, length).force();
            return true;
        } catch (IllegalStateException freed) {
            gone.increment();
            return false;
        } catch (UncheckedIOException failed) {
            return false;
        }
    }

    private void poll() {
        for (int i = 0; i < rounds; i++) {
            Thread.onSpinWait();
        }
    }
}
