// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.reason.Failure;

/**
 * The source of receives for the messages of one queue pair: its own receive queue, or a shared one. At most one receive is current: the
 * one that a message is being placed into. It stays current until {@link #finish}, also when the message is abandoned and another one
 * begins. Called by the device's owner only.
 */
public interface ReceiveSource {
    /**
     * Makes the oldest receive the current one, unless there is a current one.
     *
     * @return false if no receive is posted
     */
    boolean take();

    /**
     * Number of receives that must be flushed: those posted for this queue pair alone, or already taken by it. A program outside this
     * process may post more at any moment, without end; they are of a later flush.
     */
    int toFlush();

    /**
     * Makes the next receive that must be flushed the current one: receives posted for this queue pair alone, or already taken by it.
     *
     * @return false if there is no more to flush
     */
    boolean takeToFlush();

    /**
     * Capacity of the current receive.
     *
     * @return bytes
     */
    long length();

    /**
     * Copies a part of the message into the current receive.
     *
     * @param offset     position of the part in the message, bytes
     * @param length     bytes to copy
     * @param from       the packet
     * @param fromOffset position of the part in the packet, bytes
     * @return false on a protection error
     */
    boolean scatter(long offset, int length, MemorySegment from, long fromOffset);

    /** Explains why {@link #scatter} refused the current receive. */
    Failure explain();

    /**
     * Ends the current receive and frees its slot. Must be called before its completion becomes visible: an application that has polled the
     * completion may post the next receive at once.
     *
     * @return wr_id of the receive
     */
    long finish();

    /** Drops the receives that must be flushed, {@link #toFlush} of them, without completions. For the reset of a queue pair. */
    void forget();
}
