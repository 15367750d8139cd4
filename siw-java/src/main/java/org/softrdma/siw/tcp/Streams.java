// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

/** All streams of a device, as its owner hears of them, and as the thread that leads it sleeps on them. */
public interface Streams extends AutoCloseable {
    /**
     * Notifies the listeners of the streams that became ready, unless threads of their own do. For the owner.
     *
     * @return how many became ready
     */
    int poll();

    /** Sleeps until there are news, or {@link #wakeup}. */
    void await(long timeoutNs);

    /** Ends the present {@link #await}, or the next. Any thread. */
    void wakeup();

    /** Ends what is left of them, when nobody is owner any more. */
    @Override
    void close();
}
