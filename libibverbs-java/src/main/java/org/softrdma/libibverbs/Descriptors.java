// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeFunction.INT;
import static org.softrdma.libibverbs.NativeFunction.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.function.LongSupplier;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Waits for file descriptors of the library. Source: poll(2), fcntl(2). */
final class Descriptors {
    private static final SymbolLookup C = Linker.nativeLinker().defaultLookup();
    private static final NativeFunction POLL = NativeFunction.of(C, "poll", INT, LONG, LONG, INT);
    /** Its third argument is variable; integers are passed alike on the architectures of Linux that have libibverbs. */
    private static final NativeFunction FCNTL = NativeFunction.of(C, "fcntl", INT, INT, INT, LONG);
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;
    private static final short POLLIN = 1;
    private static final int EINTR = 4;
    private static final int EAGAIN = 11;
    private static final int POLLFD_BYTES = 8;
    private static final int EVENTS = 4;
    private static final int REVENTS = 6;
    /** An interrupt of a thread that waits is noticed within this time. */
    private static final int SLICE_MS = 50;
    private static final long NS_PER_MS = 1_000_000;
    private static final ThreadLocal<MemorySegment> POLLFD = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(POLLFD_BYTES, 4));

    private Descriptors() {
    }

    /** Makes reads of a descriptor return at once: of two threads that wait, one may find nothing. */
    static void setNonBlocking(int fd) {
        long flags = FCNTL.call(fd, F_GETFL, 0);
        if (flags < 0 || FCNTL.call(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
            throw Libibverbs.failure(NativeFunction.errno(), "fcntl", "descriptor " + fd);
        }
    }

    /**
     * Receives from a descriptor that does not block: waits until it can be read, without a lock.
     *
     * @param timeoutNs nanoseconds to wait, 0 to return at once, negative for no limit
     * @param call      takes what is there; 0, or -1 and errno
     * @return false if the time is over
     * @throws VerbsException EINTR if the thread is interrupted; the error of the call
     */
    static boolean receive(int fd, long timeoutNs, String verb, LongSupplier call) {
        long untilNs = System.nanoTime() + Math.max(0, timeoutNs);
        while (await(fd, timeoutNs < 0, untilNs, verb)) {
            if (call.getAsLong() == 0) {
                return true;
            }
            // With EAGAIN, another thread was faster.
            if (NativeFunction.errno() != EAGAIN) {
                throw Libibverbs.failure(NativeFunction.errno(), verb, "descriptor " + fd);
            }
        }
        return false;
    }

    /** The descriptor of a removed device can be read no more, or its other end is closed. */
    private static void requireReadable(MemorySegment pollfd, int fd, String verb) {
        if ((pollfd.get(ValueLayout.JAVA_SHORT, REVENTS) & POLLIN) == 0) {
            throw Libibverbs.failure(Errno.EIO.value(), verb, "descriptor " + fd);
        }
    }

    /** @param untilNs {@link System#nanoTime} of the end, unless {@code forever} */
    private static boolean await(int fd, boolean forever, long untilNs, String verb) {
        MemorySegment pollfd = POLLFD.get();
        while (true) {
            if (Thread.currentThread().isInterrupted()) {
                throw new VerbsException(Errno.EINTR, verb, "interrupted while waiting");
            }
            long leftNs = untilNs - System.nanoTime();
            long ms = forever ? SLICE_MS : Math.clamp((leftNs + NS_PER_MS - 1) / NS_PER_MS, 0, SLICE_MS);
            pollfd.set(ValueLayout.JAVA_INT, 0, fd);
            pollfd.set(ValueLayout.JAVA_INT, EVENTS, POLLIN);
            long ready = POLL.call(pollfd.address(), 1, ms);
            if (ready > 0) {
                requireReadable(pollfd, fd, verb);
                return true;
            }
            if (ready < 0 && NativeFunction.errno() != EINTR) {
                throw Libibverbs.failure(NativeFunction.errno(), verb, "poll of descriptor " + fd);
            }
            if (!forever && leftNs <= 0) {
                return false;
            }
        }
    }
}
