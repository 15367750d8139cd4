// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

/**
 * Receives that a program outside this process posts into memory shared with it. They are copied into rings of this process when a message
 * takes them, and checked as copies: what the program changes afterwards has no effect. Called by the device's owner only.
 */
public interface PostedReceives {
    /** Returns the number of receives posted and not moved yet, 0 or more. */
    int size();

    /**
     * Moves the oldest receive out, and frees its slot for the program.
     *
     * @param taken has room for one record
     * @return false if no receive is posted
     */
    boolean moveOldestTo(ReceiveRing taken);
}
