// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

/**
 * Counts events handed to the application and acknowledged by it: verbs' destroy calls wait until both agree, so that nobody holds an
 * event of an object that is gone.
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

    /** Waits until every delivered event is acknowledged; an interrupt is kept for later. */
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
