// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A program's end of an {@link EventPipe}. Several threads may wait; each record is read by one of them. A thread that waits sleeps until
 * there is a record, its time is over, it is interrupted, or the reader is closed. For that it takes a descriptor, kept for later waits.
 */
public final class EventReader implements AutoCloseable {
    private static final MethodHandle POLL = CLibrary.function("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final short POLLIN = 1;
    private static final short POLLHUP = 0x10;
    private static final int EVENTS = 4;
    private static final int REVENTS = 6;
    private static final int POLL_BYTES = 8;
    private static final int NONE = -1;
    private static final long NS_PER_MS = 1_000_000;

    private final int fd;
    private final OpenGuard guard = new OpenGuard();
    /** Ends of the waits of threads that wait now; guards the following fields. */
    private final Set<WaitEnd> waits = new HashSet<>();
    private final List<WaitEnd> unused = new ArrayList<>();
    private volatile boolean closing;

    /**
     * Takes over a descriptor, and makes reads of it return at once: of two threads that wait, one may find nothing.
     *
     * @param fd a copy of {@link EventPipe#reader}
     */
    public EventReader(int fd) {
        this.fd = fd;
        Descriptors.setNonBlocking(fd);
    }

    /**
     * Waits for a record and reads it.
     *
     * @param to        exactly as long as a record
     * @param timeoutNs nanoseconds to wait, 0 to return at once, negative for no limit
     * @param verb      for messages
     * @return false if the time is over
     * @throws VerbsException EINTR: the thread was interrupted; EIO: the other end is closed; EINVAL: this end is; EMFILE: no descriptor is
     *     left for the wait
     */
    public boolean read(MemorySegment to, long timeoutNs, String verb) {
        long untilNs = System.nanoTime() + Math.max(0, timeoutNs);
        while (await(timeoutNs < 0, untilNs, verb)) {
            if (!guard.enter()) {
                throw closed(verb);
            }
            try {
                long taken = Descriptors.read(fd, to, (int) to.byteSize());
                if (taken == to.byteSize()) {
                    return true;
                }
                // With EAGAIN, another thread was faster.
                if (taken != -CLibrary.EAGAIN && taken != -CLibrary.EINTR) {
                    throw new VerbsException(Errno.EIO, verb, "the daemon has closed the file of events");
                }
            } finally {
                guard.leave();
            }
        }
        return false;
    }

    /**
     * Waits until a record can be read, or the other end is closed.
     *
     * @param timeoutNs as {@link #read}
     * @return false if the time is over
     * @throws VerbsException as {@link #read}
     */
    public boolean await(long timeoutNs, String verb) {
        return await(timeoutNs < 0, System.nanoTime() + Math.max(0, timeoutNs), verb);
    }

    private boolean await(boolean forever, long untilNs, String verb) {
        if (!guard.enter()) {
            throw closed(verb);
        }
        try {
            requireNoInterrupt(verb);
            if (isReadable()) {
                return true;
            }
            return (forever || untilNs - System.nanoTime() > 0) && await(beginWait(verb), forever, untilNs, verb);
        } finally {
            guard.leave();
        }
    }

    /** Takes an end of waits for the calling thread, which {@link #close} finds then. */
    private WaitEnd beginWait(String verb) {
        synchronized (waits) {
            if (closing) {
                throw closed(verb);
            }
            WaitEnd end = unused.isEmpty() ? new WaitEnd() : unused.removeLast();
            waits.add(end);
            return end;
        }
    }

    private void endWait(WaitEnd end) {
        synchronized (waits) {
            waits.remove(end);
            unused.add(end);
        }
    }

    private boolean await(WaitEnd end, boolean forever, long untilNs, String verb) {
        end.begin();
        try {
            while (true) {
                long leftNs = untilNs - System.nanoTime();
                if (poll(end.fd(), forever ? -1 : Math.clamp((leftNs + NS_PER_MS - 1) / NS_PER_MS, 0, Integer.MAX_VALUE))) {
                    return true;
                }
                requireNoInterrupt(verb);
                if (closing) {
                    throw closed(verb);
                }
                if (!forever && leftNs <= 0) {
                    return false;
                }
            }
        } finally {
            end.end();
            endWait(end);
        }
    }

    private boolean isReadable() {
        return poll(NONE, 0);
    }

    /** Returns whether the other end is closed, whether or not records are left. Does not wait; false once this end is closed. */
    public boolean hasEnded() {
        if (!guard.enter()) {
            return false;
        }
        try {
            return (pollFor(NONE, 0) & POLLHUP) != 0;
        } finally {
            guard.leave();
        }
    }

    /** Returns whether the pipe can be read. A further descriptor ends the wait. */
    private boolean poll(int further, int milliseconds) {
        return pollFor(further, milliseconds) != 0;
    }

    /** Returns the events of the pipe, 0 for none. */
    private short pollFor(int further, int milliseconds) {
        CLibrary library = CLibrary.current();
        MemorySegment waited = library.small;
        request(waited, 0, fd);
        request(waited, POLL_BYTES, further);
        try {
            int ready = (int) POLL.invokeExact(library.state, waited, 2L, milliseconds);
            return ready > 0 ? waited.get(JAVA_SHORT, REVENTS) : 0;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Writes a struct pollfd; a negative descriptor is ignored. */
    private static void request(MemorySegment to, long at, int descriptor) {
        to.set(JAVA_INT, at, descriptor);
        to.set(JAVA_SHORT, at + EVENTS, POLLIN);
        to.set(JAVA_SHORT, at + REVENTS, (short) 0);
    }

    private static void requireNoInterrupt(String verb) {
        if (Thread.currentThread().isInterrupted()) {
            throw new VerbsException(Errno.EINTR, verb, "the waiting thread was interrupted");
        }
    }

    private static VerbsException closed(String verb) {
        return new VerbsException(Errno.EINVAL, verb, "the file of events is closed");
    }

    /** Closes the descriptor, after threads that wait have noticed. */
    @Override
    public void close() {
        synchronized (waits) {
            closing = true;
            waits.forEach(WaitEnd::signal);
        }
        if (guard.close()) {
            LinuxSockets.close(fd);
            unused.forEach(WaitEnd::close);
        }
    }
}
