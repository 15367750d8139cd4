// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

/**
 * Counters of events delivered to the application and acknowledged by it. The destroy calls of verbs wait until both are equal, so that
 * the application holds no event of a destroyed object.
 */
public final class EventAcks {
    private long delivered;
    private long acknowledged;

    public synchronized void deliver() {
        delivered++;
    }

    public synchronized void ack(int count) {
        acknowledged += count;
        notifyAll();
    }

    /** Returns the number of events that were delivered and not acknowledged. */
    public synchronized long unacknowledged() {
        return delivered - acknowledged;
    }

    /** Waits until every delivered event is acknowledged. An interrupt does not end the wait; the thread's interrupt flag is set again. */
    public synchronized void awaitAll() {
        boolean interrupted = false;
        while (acknowledged < delivered) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
