// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Receives the bytes of a stream, in order. */
public interface StreamSink {
    /**
     * Receives the bytes [from, to) of {@code b}, which must not be kept.
     *
     * @param memory the same bytes as {@code b}
     * @return false if the stream must deliver nothing more now: another sink is going to poll it
     */
    boolean onBytes(ByteBuffer b, MemorySegment memory, int from, int to);

    /**
     * Number of the next bytes of the stream, if {@link #pendingBuffer} has a place for them already. A stream that can read to any address
     * puts them there and saves a copy; others may ignore it.
     *
     * @return 0 if there are none
     */
    default int pendingBytes() {
        return 0;
    }

    /** Native memory with the place of the pending bytes; only if {@link #pendingBytes} is above 0. */
    default MemorySegment pendingBuffer() {
        throw new IllegalStateException("no bytes are pending");
    }

    /** Offset in {@link #pendingBuffer} of the first pending byte. */
    default int pendingOffset() {
        throw new IllegalStateException("no bytes are pending");
    }

    /** Replaces {@link #onBytes} for the first {@code count} pending bytes: they are in their place. */
    default void onFilled(int count) {
        throw new IllegalStateException("no bytes were pending");
    }
}
