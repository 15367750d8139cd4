// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.softrdma.linux.LinuxSockets;

/**
 * Watch for write(2) calls on many {@link SharedFile}s, one descriptor for all: stores to mapped memory do not count. Repeated writes to
 * a file become one event while no other file's is in between. The descriptor is readable while there are events; poll it with others.
 *
 * <p>{@link #add} and {@link #remove} by any thread; {@link #read} and its results by one. Source: inotify(7).
 */
public final class DoorbellWatch implements AutoCloseable {
    private static final int IN_MODIFY = 2;
    private static final int IN_Q_OVERFLOW = 0x4000;
    private static final int IN_IGNORED = 0x8000;
    /** struct inotify_event without a name: int wd, u32 mask, u32 cookie, u32 len. */
    private static final int EVENT_BYTES = 16;
    private static final int EVENT_MASK = 4;
    private static final int EVENT_NAME_BYTES = 12;
    private static final int MAX_EVENTS = 256;

    private static final MethodHandle INIT = CLibrary.function("inotify_init1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle ADD =
        CLibrary.function("inotify_add_watch", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle REMOVE = CLibrary.function("inotify_rm_watch", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private final int fd;
    private final OpenGuard guard = new OpenGuard();
    private final MemorySegment events = Arena.ofAuto().allocate(MAX_EVENTS * EVENT_BYTES, 8);
    private final int[] fired = new int[MAX_EVENTS];
    private int count;
    private boolean overflowed;

    /**
     * Opens the watch.
     *
     * @throws VerbsException EMFILE: the user has no more inotify instances (fs.inotify.max_user_instances), or the
     *     process no more descriptors
     */
    public DoorbellWatch() {
        CLibrary library = CLibrary.current();
        int result;
        try {
            result = library.result((int) INIT.invokeExact(library.state, CLibrary.O_NONBLOCK | CLibrary.O_CLOEXEC));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
        fd = CLibrary.check(result, "inotify_init", "the limits are fs.inotify.max_user_instances and ulimit -n");
    }

    /** The descriptor to poll for input. */
    public int fd() {
        return fd;
    }

    /**
     * Watches a file.
     *
     * @return the watch, positive, not used for another file later
     * @throws VerbsException ENOSPC as EIO: the user has no more watches (fs.inotify.max_user_watches)
     */
    public int add(SharedFile file) {
        CLibrary library = CLibrary.current();
        int result;
        try {
            result = library.result((int) ADD.invokeExact(library.state, fd, library.path.own(file.fd()), IN_MODIFY));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
        return CLibrary.check(result, "inotify_add_watch", "the limit is fs.inotify.max_user_watches");
    }

    /** Ends a watch. An event that waits may still be read. */
    public void remove(int watch) {
        if (!guard.enter()) {
            return;
        }
        CLibrary library = CLibrary.current();
        try {
            // The only error: the watch has ended with its file.
            int ignored = (int) REMOVE.invokeExact(library.state, fd, watch);
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        } finally {
            guard.leave();
        }
    }

    /**
     * Reads waiting events, without blocking.
     *
     * @return how many there are for {@link #fired}; if there are more, the descriptor stays readable
     */
    public int read() {
        count = 0;
        overflowed = false;
        if (!guard.enter()) {
            return 0;
        }
        long length = Descriptors.read(fd, events, events.byteSize());
        guard.leave();
        long at = 0;
        while (at < length) {
            take(events.get(JAVA_INT, at), events.get(JAVA_INT, at + EVENT_MASK));
            at += EVENT_BYTES + Integer.toUnsignedLong(events.get(JAVA_INT, at + EVENT_NAME_BYTES));
        }
        return count;
    }

    private void take(int watch, int mask) {
        if ((mask & IN_Q_OVERFLOW) != 0) {
            overflowed = true;
        } else if ((mask & IN_IGNORED) == 0) {
            fired[count++] = watch;
        }
    }

    /** The watch of an event of the last {@link #read}; the same one may occur again. */
    public int fired(int index) {
        return fired[index];
    }

    /** Whether events were lost before the last {@link #read}: any watch may have fired. */
    public boolean hasOverflowed() {
        return overflowed;
    }

    @Override
    public void close() {
        if (guard.close()) {
            LinuxSockets.close(fd);
        }
    }
}
