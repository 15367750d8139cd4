// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Wakes the thread that is parked on a link's sockets: an event descriptor among them, which is written only while a thread waits. A
 * signal without a waiting thread is remembered.
 */
public final class WakeupEvent {
    private static final int IDLE = 0;
    private static final int WAITING = 1;
    private static final int SIGNALLED = 2;

    private final AtomicInteger waiter = new AtomicInteger(IDLE);
    private final Object lock = new Object();
    private int fd;

    /**
     * Opens the event descriptor.
     *
     * @throws org.softrdma.verbs.VerbsException the host has no more descriptors
     */
    public WakeupEvent(LinuxSockets calls) {
        fd = calls.eventDescriptor();
        if (fd < 0) {
            throw LinuxSockets.failure(-fd, "open_device", "eventfd");
        }
    }

    /** The descriptor to poll for input. */
    int fd() {
        return fd;
    }

    /**
     * Begins a wait.
     *
     * @return false if there was a signal already: it is consumed, and the caller must not wait
     */
    boolean beginWait() {
        if (waiter.compareAndSet(IDLE, WAITING)) {
            return true;
        }
        waiter.set(IDLE);
        return false;
    }

    void endWait() {
        waiter.set(IDLE);
    }

    /** Ends the current or next wait. Any thread. */
    public void signal() {
        // An exchange even if it is SIGNALLED already: the caller's work must be visible before the owner takes the signal.
        // If that wait ends for another reason before the write, the write ends the next wait early, which is harmless.
        if (waiter.getAndSet(SIGNALLED) == WAITING) {
            synchronized (lock) {
                if (fd >= 0) {
                    LinuxSockets.signal(fd);
                }
            }
        }
    }

    public void close() {
        synchronized (lock) {
            if (fd >= 0) {
                LinuxSockets.close(fd);
                fd = -1;
            }
        }
    }
}
