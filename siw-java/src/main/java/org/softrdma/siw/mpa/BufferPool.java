// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.util.ArrayDeque;

/**
 * Buffers of one size for connections that need one for a while, so that those with nothing under way have none. The owner's.
 */
public final class BufferPool {
    private final int bytes;
    private final int mostIdle;
    private final ArrayDeque<StreamBuffer> idle = new ArrayDeque<>();

    /** @param mostIdle so many wait for the next one who needs them; the memory of more is given back */
    public BufferPool(int bytes, int mostIdle) {
        this.bytes = bytes;
        this.mostIdle = mostIdle;
    }

    /** An empty one. */
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
