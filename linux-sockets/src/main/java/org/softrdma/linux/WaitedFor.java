// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Descriptors that one thread waits on until one is ready or any thread signals: an array of struct pollfd. */
public final class WaitedFor {
    private static final int POLLFD_BYTES = 8;
    private static final int POLLFD_EVENTS = 4;
    private static final int POLLFD_REVENTS = 6;

    private final LinuxSockets calls;
    private final WakeupEvent wakeup;
    /** Descriptors; the last one is the wakeup's. */
    private final int count;
    private final MemorySegment pollfds;

    /**
     * @param calls for the waiting thread alone
     * @param fds   waited on for input
     */
    public WaitedFor(LinuxSockets calls, WakeupEvent wakeup, int... fds) {
        this.calls = calls;
        this.wakeup = wakeup;
        count = fds.length + 1;
        pollfds = Arena.ofAuto().allocate((long) count * POLLFD_BYTES, 8);
        for (int i = 0; i < fds.length; i++) {
            set(i, fds[i]);
        }
        set(fds.length, wakeup.waitFd());
    }

    private void set(int index, int fd) {
        pollfds.set(JAVA_INT, (long) index * POLLFD_BYTES, fd);
        room(index, false);
    }

    /** Sets whether the descriptor with that index is also waited on for room to send, beside input. */
    public void room(int index, boolean wanted) {
        int events = wanted ? LinuxSockets.POLLIN | LinuxSockets.POLLOUT : LinuxSockets.POLLIN;
        pollfds.set(JAVA_SHORT, (long) index * POLLFD_BYTES + POLLFD_EVENTS, (short) events);
    }

    /**
     * Waits, unless there was a signal already.
     *
     * @return whether {@link #isReady} may be true for a descriptor
     */
    public boolean await(long timeoutNs) {
        if (!wakeup.beginWait()) {
            return false;
        }
        pollfds.set(JAVA_INT, (count - 1L) * POLLFD_BYTES, wakeup.waitFd());
        int ready = calls.poll(pollfds, count, timeoutNs);
        wakeup.endWait();
        if (ready <= 0) {
            return false;
        }
        if (isReady(count - 1)) {
            calls.drain(wakeup.fd());
        }
        return true;
    }

    /** Whether {@link #await} found the descriptor with that index ready. */
    public boolean isReady(int index) {
        return events(index) != 0;
    }

    /** Whether {@link #await} found an error at the descriptor with that index. */
    public boolean hasErrors(int index) {
        return (events(index) & LinuxSockets.POLLERR) != 0;
    }

    private int events(int index) {
        return pollfds.get(JAVA_SHORT, (long) index * POLLFD_BYTES + POLLFD_REVENTS);
    }
}
