// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * A mapped file. If the file is truncated while it is mapped, an access beyond its end makes the JVM throw an InternalError, but not before
 * the thread's next safepoint poll, which may be far from the access. Each access therefore ends with a poll, inside the try block.
 */
final class MappedSpace implements AddressSpace {
    private final MemorySegment segment;
    private final SegmentSpace mapped;
    private final LongAdder gone;
    /** Target of reads that only find out whether memory is there. */
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);
    /** Volatile, so that the compiler keeps the loop in {@link #poll} and its safepoint poll. */
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

    /**
     * Reads the bytes first: the JVM turns the fault of a read into an InternalError, but a fault in its own routine for compare-and-swap,
     * which runs until the call is compiled, ends the process.
     */
    @Override
    public boolean compareAndSwap(long address, long compare, long swap, long[] original) {
        try {
            if (!mapped.copyOut(address, word, 0, Long.BYTES)) {
                return false;
            }
            poll();
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

    /** Blocks, and with it the device, until the file system has written the range. */
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
