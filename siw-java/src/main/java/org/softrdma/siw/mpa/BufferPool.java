// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.util.ArrayDeque;

/**
 * Buffers of one size that connections borrow while bytes are under way, so that idle connections hold none. For the device's owner.
 */
public final class BufferPool {
    private final int bytes;
    private final int mostIdle;
    private final ArrayDeque<StreamBuffer> idle = new ArrayDeque<>();

    /** @param mostIdle buffers kept for the next borrower; the memory of further ones is released */
    public BufferPool(int bytes, int mostIdle) {
        this.bytes = bytes;
        this.mostIdle = mostIdle;
    }

    /** Returns an empty buffer, made if none is idle. */
    public StreamBuffer take() {
        StreamBuffer last = idle.pollLast();
        return last != null ? last : new StreamBuffer(bytes);
    }

    public void giveBack(StreamBuffer buffer) {
        if (idle.size() < mostIdle) {
            buffer.clear();
            idle.addLast(buffer);
        }
    }
}
