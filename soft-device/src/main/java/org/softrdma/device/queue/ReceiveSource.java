// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;

/**
 * Where the messages of one queue pair go: its own receive queue, or one it shares. At most one receive is current, the one a message
 * is being placed into; it stays so until {@link #finish}, also when the message is given up and another one begins. All methods are for
 * the device's owner.
 */
public interface ReceiveSource {
    /** Makes the oldest receive the current one, if none is. @return false if none is posted */
    boolean take();

    /** The next receive that an error of the queue pair ends: posted for it alone, or taken by it already. @return false: no more */
    boolean takeToFlush();

    /** Bytes the current receive has room for. */
    long length();

    /** Copies {@code length} bytes of the message, from {@code offset}, into the current receive. @return false on a protection error */
    boolean scatter(long offset, int length, MemorySegment from, long fromOffset);

    /**
     * The current receive is over. Its slot is free from now on: call this before its completion can be seen, as whoever polls that may
     * post again at once.
     *
     * @return its wr_id
     */
    long finish();

    /** Drops what {@link #takeToFlush} would give, without completions: the queue pair is reset. */
    void forget();
}
