// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Bytes between the protocol and the stream: written at the end, taken from the start. For the device's owner. */
public final class StreamBuffer {
    private final ByteBuffer bytes;
    private final MemorySegment memory;
    private int start;
    private int end;

    public StreamBuffer(int capacity) {
        bytes = ByteBuffer.allocateDirect(capacity);
        memory = MemorySegment.ofBuffer(bytes);
    }

    /** Position 0, limit at the capacity, big-endian. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** The same bytes as {@link #bytes}. */
    public MemorySegment memory() {
        return memory;
    }

    /** Offset of the first byte that was not taken. */
    public int start() {
        return start;
    }

    /** Offset at which the next byte is written. */
    public int end() {
        return end;
    }

    public int length() {
        return end - start;
    }

    public boolean isEmpty() {
        return start == end;
    }

    /** Makes room for {@code count} bytes at the end; returns false if the buffer has fewer free. */
    public boolean hasRoom(int count) {
        if (bytes.capacity() - end >= count) {
            return true;
        }
        if (bytes.capacity() - length() < count) {
            return false;
        }
        MemorySegment.copy(memory, start, memory, 0, length());
        end -= start;
        start = 0;
        return true;
    }

    /** Adds {@code count} bytes that were written at {@link #end}. */
    public void wrote(int count) {
        end += count;
    }

    /** Removes {@code count} bytes that were taken from {@link #start}. */
    public void took(int count) {
        start += count;
        if (start == end) {
            start = 0;
            end = 0;
        }
    }

    public void clear() {
        start = 0;
        end = 0;
    }
}
