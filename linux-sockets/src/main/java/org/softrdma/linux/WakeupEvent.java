// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Wakes the thread that is parked on a link's sockets: an event descriptor among them, which is written only while a thread waits. A
 * signal without a waiting thread is remembered. Input at a further descriptor can wake as well.
 */
public final class WakeupEvent {
    private static final int IDLE = 0;
    private static final int WAITING = 1;
    private static final int SIGNALLED = 2;

    private final AtomicInteger waiter = new AtomicInteger(IDLE);
    private final Object lock = new Object();
    private int fd;
    /** Collects {@link #fd} and the further descriptor; -1 without one. */
    private volatile int both = -1;

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

    /** The event descriptor, to be drained. */
    int fd() {
        return fd;
    }

    /** The descriptor to poll for input. */
    int waitFd() {
        int collected = both;
        return collected < 0 ? fd : collected;
    }

    /**
     * Lets input at another descriptor end waits too, from the next wait on. It ends every wait until the caller has read it.
     *
     * @param other kept open until this is closed; at most one in a lifetime
     * @throws org.softrdma.verbs.VerbsException the host has no more descriptors
     */
    public void alsoBy(int other) {
        LinuxTcp calls = new LinuxTcp(Arena.ofAuto());
        synchronized (lock) {
            int collector = calls.epoll();
            if (collector < 0) {
                throw LinuxSockets.failure(-collector, "open_device", "epoll_create1");
            }
            int watched = Math.min(calls.watch(collector, fd, LinuxTcp.EPOLLIN), calls.watch(collector, other, LinuxTcp.EPOLLIN));
            if (watched < 0) {
                LinuxSockets.close(collector);
                throw LinuxSockets.failure(-watched, "open_device", "epoll_ctl");
            }
            both = collector;
        }
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
                if (both >= 0) {
                    LinuxSockets.close(both);
                    both = -1;
                }
            }
        }
    }
}
