// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Where armed completion queues announce themselves. Any thread. */
public interface CompletionChannel extends AutoCloseable {
    Context rdmaContext();

    /**
     * Waits for the next event.
     *
     * @param timeoutNs nanoseconds to wait, 0 to look only, negative for ever
     * @return the queue, whose {@link CompletionQueue#ackEvents} the caller owes one; null when the time is over
     * @throws VerbsException EINTR if the thread is interrupted
     */
    CompletionQueue getEvent(long timeoutNs);

    /** EBUSY while completion queues use it. */
    @Override
    void close();
}
