// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.softrdma.verbs.VerbsException;

/**
 * Notices of the kernel that a file was created in a directory, renamed into it, removed from it, or closed by a process that had it open
 * for writing; the end of a process closes its files. Which file it was is not read: the caller looks at the directory itself. Changes
 * that other hosts make in a network file system are not noticed. One thread. Source: inotify(7).
 */
public final class DirectoryChanges extends KernelNotices {
    private static final int IN_CLOSE_WRITE = 0x8;
    private static final int IN_MOVED_FROM = 0x40;
    private static final int IN_MOVED_TO = 0x80;
    private static final int IN_CREATE = 0x100;
    private static final int IN_DELETE = 0x200;
    private static final int IN_ONLYDIR = 0x1000000;
    private static final int NOTICED = IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ONLYDIR;

    private static final MethodHandle INIT = CLibrary.function("inotify_init1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle ADD_WATCH =
        CLibrary.function("inotify_add_watch", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

    /**
     * Follows no directory yet.
     *
     * @throws VerbsException EMFILE: the process has no more descriptors, or the user no more of these
     */
    public DirectoryChanges() {
        super(CLibrary.check(open(), "inotify_init", "the limit is fs.inotify.max_user_instances"));
    }

    private static int open() {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) INIT.invokeExact(library.state, CLibrary.O_CLOEXEC | CLibrary.O_NONBLOCK));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /**
     * Follows a directory from now on; without effect if it is followed already. One that was removed and made again is followed again.
     *
     * @return false if there is no such directory, it cannot be read, or the user's watches are used up
     */
    public boolean follow(Path directory) {
        CLibrary library = CLibrary.current();
        try (Arena arena = Arena.ofConfined()) {
            return (int) ADD_WATCH.invokeExact(library.state, fd(), arena.allocateFrom(directory.toString()), NOTICED) >= 0;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }
}
