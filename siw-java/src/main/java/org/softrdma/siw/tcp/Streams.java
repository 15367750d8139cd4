// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import org.softrdma.verbs.VerbsException;

/** All streams of a device: tells the owner which are ready, and lets the leading thread sleep until one is. */
public interface Streams extends AutoCloseable {
    /**
     * Notifies the listeners of all streams that became ready, unless the streams' own threads do. For the owner.
     *
     * @return how many were notified
     */
    int poll();

    /** Sleeps until a stream is ready, {@link #wakeup} is called, or the timeout expires. */
    void await(long timeoutNs);

    /** Ends the current {@link #await}, or the next one. Any thread. */
    void wakeup();

    /**
     * Lets input at another descriptor end {@link #await} too, until the streams are closed; the caller reads that input.
     *
     * @throws VerbsException EOPNOTSUPP from streams that do not wait with calls of the C library
     */
    default void alsoWakeBy(int fd) {
        throw VerbsException.unsupported("open_device");
    }

    /** Closes the remaining streams. Called when the device has no owner any more. */
    @Override
    void close();
}
