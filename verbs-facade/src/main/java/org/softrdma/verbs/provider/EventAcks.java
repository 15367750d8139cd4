// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.provider;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Number of an object's events that were delivered to the application and not acknowledged. The destroy calls of verbs wait until it is 0,
 * so that the application holds no event of a destroyed object. Any thread.
 */
public final class EventAcks {
    private long unacknowledged;

    /** Counts an event that is delivered. */
    public synchronized void deliver() {
        unacknowledged++;
    }

    /** Counts events as acknowledged, without a check that they were delivered. */
    public synchronized void ack(int count) {
        unacknowledged -= count;
        notifyAll();
    }

    /**
     * Counts events as acknowledged.
     *
     * @param kind of object, for the message
     * @throws VerbsException EINVAL: more than were delivered
     */
    public void ack(int count, String verb, String kind) {
        ack(count, verb, kind, () -> { });
    }

    /**
     * Counts events as acknowledged, and has another count do so before {@link #awaitAll} returns.
     *
     * @param kind of object, for the message
     * @param also called if the number is right
     * @throws VerbsException EINVAL: more than were delivered
     */
    public synchronized void ack(int count, String verb, String kind, Runnable also) {
        if (count < 0 || count > unacknowledged) {
            throw new VerbsException(Errno.EINVAL, verb, count + " events; not acknowledged of the " + kind + ": " + unacknowledged);
        }
        ack(count);
        also.run();
    }

    /** Returns the number of events that were delivered and not acknowledged. */
    public synchronized long unacknowledged() {
        return unacknowledged;
    }

    /** Waits until every delivered event is acknowledged. An interrupt does not end the wait; the thread's interrupt flag is set again. */
    public synchronized void awaitAll() {
        boolean interrupted = false;
        while (unacknowledged > 0) {
            try {
                wait();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
