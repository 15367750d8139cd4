// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.softrdma.linux.LinuxSockets;

/**
 * Descriptors that one thread waits for, each with a key of the caller's. {@link #add}, {@link #remove} and {@link #wakeUp} by any thread,
 * {@link #await} and its results by one; it allocates nothing. Source: epoll(7).
 */
public final class EpollSet implements AutoCloseable {
    public static final int READABLE = 1;
    public static final int WRITABLE = 4;
    /** Reported without being asked for: for a pipe's writer, no reader is left. */
    public static final int ERROR = 8;
    /** Reported without being asked for: for a seccomp listener, all threads under the filter have ended. */
    public static final int HANG_UP = 16;

    private static final int MAX_EVENTS = 64;
    private static final int CTL_ADD = 1;
    private static final int CTL_DEL = 2;
    private static final int EPOLL_PWAIT2 = 441;
    private static final long NS_PER_SECOND = 1_000_000_000;
    private static final long NS_PER_MS = 1_000_000;
    /** Key of the wake-up, which the results leave out. */
    private static final long WAKE_UP = Long.MIN_VALUE;

    /** struct epoll_event is packed on x86-64 only. */
    private static final int EVENT_DATA = System.getProperty("os.arch").equals("amd64") ? 4 : 8;
    private static final int EVENT_BYTES = EVENT_DATA + Long.BYTES;

    private static final MethodHandle CREATE = CLibrary.function("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle CTL =
        CLibrary.function("epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle WAIT =
        CLibrary.function("epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final MethodHandle SYSCALL = CLibrary.variadic("syscall",
        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG), 1);
    private static final MethodHandle EVENTFD = CLibrary.function("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private final int fd;
    private final int wakeUp;
    private final OpenGuard guard = new OpenGuard();
    private final MemorySegment events;
    private final MemorySegment timeout;
    private final MemorySegment one;
    private final long[] keys = new long[MAX_EVENTS];
    private final int[] masks = new int[MAX_EVENTS];
    private boolean coarse;

    /**
     * Opens an empty set.
     *
     * @throws VerbsException EMFILE: the process has no more descriptors
     */
    public EpollSet() {
        Arena arena = Arena.ofAuto();
        events = arena.allocate((long) MAX_EVENTS * EVENT_BYTES, 8);
        timeout = arena.allocate(JAVA_LONG, 2);
        one = arena.allocate(JAVA_LONG);
        one.set(JAVA_LONG, 0, 1);
        CLibrary library = CLibrary.current();
        int event;
        int set;
        try {
            event = library.result((int) EVENTFD.invokeExact(library.state, 0, CLibrary.O_NONBLOCK | CLibrary.O_CLOEXEC));
            set = library.result((int) CREATE.invokeExact(library.state, CLibrary.O_CLOEXEC));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
        if (set < 0 && event >= 0) {
            LinuxSockets.close(event);
        }
        fd = CLibrary.check(set, "epoll_create", "the limit is ulimit -n");
        if (event < 0) {
            LinuxSockets.close(set);
        }
        wakeUp = CLibrary.check(event, "eventfd", "the limit is ulimit -n");
        add(wakeUp, READABLE, WAKE_UP);
    }

    /** The set's own descriptor: readable when one of its descriptors is ready, so sets can be waited for like others. */
    public int fd() {
        return fd;
    }

    /**
     * Adds a descriptor. Remove it before it is closed: a copy of it elsewhere keeps it in the set.
     *
     * @param wanted {@link #READABLE}, {@link #WRITABLE}, both, or 0 for errors and hang-ups only
     * @param key    reported with its events
     * @throws VerbsException EEXIST: it is in the set; EPERM: it cannot be polled; ENOSPC, ENOMEM
     */
    public void add(int descriptor, int wanted, long key) {
        CLibrary library = CLibrary.current();
        library.small.set(JAVA_INT, 0, wanted);
        library.small.set(JAVA_LONG_UNALIGNED, EVENT_DATA, key);
        CLibrary.check(control(CTL_ADD, descriptor), "epoll_ctl", "descriptor " + descriptor);
    }

    /** Removes a descriptor; no effect if it is not in the set. */
    public void remove(int descriptor) {
        control(CTL_DEL, descriptor);
    }

    private int control(int operation, int descriptor) {
        if (!guard.enter()) {
            return 0;
        }
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) CTL.invokeExact(library.state, fd, operation, descriptor, library.small));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        } finally {
            guard.leave();
        }
    }

    /**
     * Waits for descriptors.
     *
     * @param timeoutNs 0 to look only, negative to wait without limit
     * @return how many are ready, for {@link #key} and {@link #events}; 0 after the timeout, a wake-up, a signal, or {@link #close}
     */
    public int await(long timeoutNs) {
        if (!guard.enter()) {
            return 0;
        }
        try {
            return results(timeoutNs < 0 || coarse ? waitMs(timeoutNs) : waitNs(timeoutNs));
        } finally {
            guard.leave();
        }
    }

    private int waitNs(long timeoutNs) {
        timeout.set(JAVA_LONG, 0, timeoutNs / NS_PER_SECOND);
        timeout.set(JAVA_LONG, Long.BYTES, timeoutNs % NS_PER_SECOND);
        CLibrary library = CLibrary.current();
        long ready;
        try {
            ready = library.result((long) SYSCALL.invokeExact(library.state, (long) EPOLL_PWAIT2, fd, events, MAX_EVENTS, timeout, 0L, 0L));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
        if (ready == -CLibrary.ENOSYS) {
            // Linux before 5.11.
            coarse = true;
            return waitMs(timeoutNs);
        }
        return (int) ready;
    }

    private int waitMs(long timeoutNs) {
        int timeoutMs = timeoutNs < 0 ? -1 : (int) Math.min(Integer.MAX_VALUE, (timeoutNs + NS_PER_MS - 1) / NS_PER_MS);
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) WAIT.invokeExact(library.state, fd, events, MAX_EVENTS, timeoutMs));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    private int results(int ready) {
        int count = 0;
        for (int i = 0; i < ready; i++) {
            long key = events.get(JAVA_LONG_UNALIGNED, (long) i * EVENT_BYTES + EVENT_DATA);
            if (key == WAKE_UP) {
                Descriptors.read(wakeUp, timeout, Long.BYTES);
            } else {
                keys[count] = key;
                masks[count++] = events.get(JAVA_INT, (long) i * EVENT_BYTES);
            }
        }
        return count;
    }

    /** The key of a descriptor that the last {@link #await} found ready. */
    public long key(int index) {
        return keys[index];
    }

    /** Its events: {@link #READABLE}, {@link #WRITABLE}, {@link #ERROR}, {@link #HANG_UP}. */
    public int events(int index) {
        return masks[index];
    }

    /** Ends the current or next {@link #await}. */
    public void wakeUp() {
        if (guard.enter()) {
            Descriptors.write(wakeUp, one, Long.BYTES);
            guard.leave();
        }
    }

    /** Closes the set, not its descriptors; wakes a thread that waits and waits for it. Not for the thread that awaits. */
    @Override
    public void close() {
        if (guard.refuse()) {
            Descriptors.write(wakeUp, one, Long.BYTES);
            guard.awaitIdle();
            LinuxSockets.close(fd);
            LinuxSockets.close(wakeUp);
        }
    }
}
