// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import org.softrdma.verbs.VerbsException;

/** Delivers events of identifiers in their order ({@code struct rdma_event_channel}). Any thread. */
public interface EventChannel extends AutoCloseable {
    /**
     * Waits for the next event; every event must be {@link CmEvent#ack acknowledged}. The caller's thread changes the state of the queue
     * pair of {@link CmId#createQp} here, before it returns the event that reports the change.
     *
     * @param timeoutNs nanoseconds to wait, 0 to return at once, negative for no limit
     * @return null on timeout
     * @throws VerbsException EINTR if the thread is interrupted
     */
    CmEvent getEvent(long timeoutNs);

    /** Closes the channel; EBUSY while identifiers use it. */
    @Override
    void close();
}
