// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Delivers the events of armed completion queues. Any thread. */
public interface CompletionChannel extends AutoCloseable {
    /** {@return the context that the channel was created from} */
    Context rdmaContext();

    /**
     * Waits for the next event.
     *
     * @param timeoutNs nanoseconds to wait, 0 to return at once, negative for no limit
     * @return the queue, for which the caller must acknowledge one event ({@link CompletionQueue#ackEvents}); null on timeout
     * @throws VerbsException EINTR if the thread is interrupted
     */
    CompletionQueue getEvent(long timeoutNs);

    /** Closes the channel; EBUSY while completion queues use it. */
    @Override
    void close();
}
