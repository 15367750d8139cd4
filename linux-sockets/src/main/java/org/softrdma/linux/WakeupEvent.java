// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How any thread ends the wait of the one that is parked on a link's sockets: an event descriptor among them, written to only if somebody
 * waits. A signal that comes while nobody waits is remembered.
 */
public final class WakeupEvent {
    private static final int IDLE = 0;
    private static final int WAITING = 1;
    private static final int SIGNALLED = 2;

    private final AtomicInteger waiter = new AtomicInteger(IDLE);
    private final Object lock = new Object();
    private int fd;

    /** @throws org.softrdma.verbs.VerbsException the host has no more descriptors */
    public WakeupEvent(LinuxSockets calls) {
        fd = calls.eventDescriptor();
        if (fd < 0) {
            throw LinuxSockets.failure(-fd, "open_device", "eventfd");
        }
    }

    /** To be polled for input. */
    int fd() {
        return fd;
    }

    /** Somebody is about to wait. @return false if there was a signal: it is taken, and there is nothing to wait for */
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

    /** Any thread. */
    public void signal() {
        // An exchange even if it is SIGNALLED already: the caller's work must be visible before the owner takes the signal.
        // The write may come after that wait has ended otherwise; it then ends the next one too early, which does no harm.
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
