// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/** A device's queue pair 1, as {@link org.softrdma.verbs.MadAgent}s use it. Each call takes the owner's lock. */
public interface MadPort {
    /** Consumer of received datagrams, called with the owner's lock held. */
    interface Receiver {
        /**
         * Accepts a received datagram.
         *
         * @param local  GID that the datagram was sent to
         * @param remote GID of the sender
         * @param mad    256 bytes at offset 0; the receiver owns the buffer from now on
         * @return false if there is no room: the device drops the datagram and counts it
         */
        boolean onMad(Gid local, Gid remote, ByteBuffer mad);
    }

    /**
     * Delivers received datagrams of a management class to a receiver.
     *
     * @throws VerbsException EBUSY if the class has a receiver already
     */
    void enter(int managementClass, Receiver receiver);

    /** Removes the receiver of a management class. */
    void leave(int managementClass);

    /**
     * Sends a datagram.
     *
     * @throws VerbsException with the same errno values as {@link org.softrdma.verbs.MadAgent#send}
     */
    void send(Gid from, Gid to, ByteBuffer mad);

    /** Whether the port is on an InfiniBand subnet, which has administration. */
    default boolean isOnSubnet() {
        return false;
    }
}
