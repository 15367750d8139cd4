// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** An asynchronous event and the object or port that it concerns. */
public interface AsyncEvent {
    /** {@return what happened} */
    AsyncEventType type();

    /**
     * {@return the {@link QueuePair}, {@link CompletionQueue} or {@link SharedReceiveQueue} concerned; null for events of a port or the
     * device}
     */
    Object element();

    /** {@return the port concerned, from 1; 0 for events of an object} */
    int port();

    /** Acknowledges the event, once. Destroying an object waits until all its events are acknowledged. */
    void ack();
}
