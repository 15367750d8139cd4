// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** A program's end of an {@link EventPipe}. Several threads may wait; each record is read by one of them. */
public final class EventReader implements AutoCloseable {
    private static final MethodHandle POLL = CLibrary.function("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final short POLLIN = 1;
    private static final int EVENTS = 4;
    private static final int REVENTS = 6;
    /** An interrupt of a thread that waits, and the close of the descriptor, are noticed within this time. */
    private static final int SLICE_MS = 50;
    private static final long NS_PER_MS = 1_000_000;

    private final int fd;
    private final OpenGuard guard = new OpenGuard();

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
     * @throws VerbsException EINTR: the thread was interrupted; EIO: the other end is closed; EINVAL: this end is
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
        while (true) {
            if (Thread.currentThread().isInterrupted()) {
                throw new VerbsException(Errno.EINTR, verb, "the waiting thread was interrupted");
            }
            long leftNs = untilNs - System.nanoTime();
            if (poll(forever ? SLICE_MS : Math.clamp((leftNs + NS_PER_MS - 1) / NS_PER_MS, 0, SLICE_MS), verb)) {
                return true;
            }
            if (!forever && leftNs <= 0) {
                return false;
            }
        }
    }

    private boolean poll(int milliseconds, String verb) {
        if (!guard.enter()) {
            throw closed(verb);
        }
        CLibrary library = CLibrary.current();
        try {
            MemorySegment waited = library.small;
            waited.set(JAVA_INT, 0, fd);
            waited.set(JAVA_SHORT, EVENTS, POLLIN);
            waited.set(JAVA_SHORT, REVENTS, (short) 0);
            return (int) POLL.invokeExact(library.state, waited, 1L, milliseconds) > 0;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        } finally {
            guard.leave();
        }
    }

    private static VerbsException closed(String verb) {
        return new VerbsException(Errno.EINVAL, verb, "the file of events is closed");
    }

    /** Closes the descriptor, after threads that wait have noticed. */
    @Override
    public void close() {
        if (guard.close()) {
            LinuxSockets.close(fd);
        }
    }
}
