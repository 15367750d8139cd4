// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import org.softrdma.verbs.VerbsException;

/** Where events of identifiers come out, in the order they happened ({@code struct rdma_event_channel}). Any thread. */
public interface EventChannel extends AutoCloseable {
    /**
     * Waits for the next event and hands it over; every event must be {@link CmEvent#ack acknowledged}. The queue pair that
     * {@link CmId#createQp} made is moved on here, by the caller's thread, before the event that says so.
     *
     * @param timeoutNs nanoseconds to wait, 0 to look only, negative for ever
     * @return null when the time is over
     * @throws VerbsException EINTR if the thread is interrupted
     */
    CmEvent getEvent(long timeoutNs);

    /** EBUSY while identifiers use it. */
    @Override
    void close();
}
