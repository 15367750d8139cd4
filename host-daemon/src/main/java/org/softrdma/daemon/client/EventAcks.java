// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Events of one object that the application received and has not acknowledged. Any thread. */
final class EventAcks {
    private final Object lock = new Object();
    private int unacknowledged;

    /** Counts an event that the application received. */
    void delivered() {
        synchronized (lock) {
            unacknowledged++;
        }
    }

    /**
     * Counts events as acknowledged.
     *
     * @param kind of object, for the message
     * @throws VerbsException EINVAL: more than were received
     */
    void acknowledge(int count, String verb, String kind) {
        synchronized (lock) {
            if (count < 0 || count > unacknowledged) {
                throw new VerbsException(Errno.EINVAL, verb, count + " events; not acknowledged of the " + kind + ": " + unacknowledged);
            }
            unacknowledged -= count;
            lock.notifyAll();
        }
    }

    /** Waits until all events are acknowledged. An interrupt does not end the wait. */
    void await() {
        boolean interrupted = false;
        synchronized (lock) {
            while (unacknowledged > 0) {
                try {
                    lock.wait();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
