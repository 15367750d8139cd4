// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Bytes between the protocol and the stream: written at the end, taken from the start. The owner's. */
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

    /** The first byte that was not taken. */
    public int start() {
        return start;
    }

    /** Where the next byte goes. */
    public int end() {
        return end;
    }

    public int length() {
        return end - start;
    }

    public boolean isEmpty() {
        return start == end;
    }

    /** Makes room for {@code count} bytes at the end, if the buffer has as many free. */
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

    /** So many bytes were written at {@link #end}. */
    public void wrote(int count) {
        end += count;
    }

    /** So many bytes were taken from {@link #start}. */
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
