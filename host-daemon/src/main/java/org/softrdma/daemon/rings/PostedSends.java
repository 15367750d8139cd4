// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import org.softrdma.verbs.SendRequest;

/**
 * A send queue in a program's memory. Work requests are accepted from it in order, and their slots are freed when they complete. Called by
 * the device's owner only.
 */
public interface PostedSends {
    /** Returns the place of the ring in the program's file. */
    RingSpace.Extent extent();

    /** Returns whether a work request waits that was not accepted. */
    boolean hasNext();

    /**
     * Copies the oldest work request that was not accepted, and translates it.
     *
     * @param into   receives it; for a bind of a memory window, {@link SendRequest#rkey} is the new key
     * @param objects what it names
     * @return false if the device has no such work request: unknown operation, or more elements or inline data than granted; only its
     *     {@link SendRequest#wrId} is then valid. A datagram to an address handle that does not exist has none here.
     */
    boolean read(SendRequest into, ObjectTable objects);

    /** Accepts the work request of the last {@link #read}. */
    void accept();

    /**
     * Frees the slots of completed work requests.
     *
     * @param completed number of all accepted requests that have completed since the queue was created or {@link #discard discarded}
     */
    void release(long completed);

    /** Frees all slots: everything posted is dropped. */
    void discard();
}
