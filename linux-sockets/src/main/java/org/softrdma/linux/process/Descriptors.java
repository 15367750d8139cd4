// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls on paths and descriptors, with the kernel's own structures, for answering the same calls of a program. Each returns what the
 * system call returns: the result, or minus errno. Paths are C strings. Any thread; nothing is allocated.
 */
public final class Descriptors {
    public static final int AT_FDCWD = -100;
    public static final int O_RDONLY = 0;
    public static final int O_NONBLOCK = CLibrary.O_NONBLOCK;
    public static final int O_CLOEXEC = CLibrary.O_CLOEXEC;
    /** Bytes that hold a struct stat of the kernel on every architecture that is supported: 144 on x86-64, 128 on aarch64. */
    public static final int STAT_BYTES = 144;
    /** Bytes of a struct statx. */
    public static final int STATX_BYTES = 256;
    static final int SEEK_SET = 0;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;

    private static final MethodHandle OPENAT =
        CLibrary.variadic("openat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), 3);
    private static final MethodHandle READ = CLibrary.function("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle WRITE = CLibrary.function("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle LSEEK = CLibrary.function("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle READLINK =
        CLibrary.function("readlink", FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG));
    private static final MethodHandle STATX =
        CLibrary.function("statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle FCNTL =
        CLibrary.variadic("fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), 2);
    private static final MethodHandle FTRUNCATE = CLibrary.function("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle UNLINK = CLibrary.function("unlink", FunctionDescriptor.of(JAVA_INT, ADDRESS));
    private static final MethodHandle SYSCALL =
        CLibrary.variadic("syscall", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG), 1);

    private Descriptors() {
    }

    /** Opens a file: openat(2). */
    public static int open(int directory, MemorySegment path, int flags, int mode) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) OPENAT.invokeExact(library.state, directory, path, flags, mode));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    static long read(int fd, MemorySegment to, long bytes) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((long) READ.invokeExact(library.state, fd, to, bytes));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    static long write(int fd, MemorySegment from, long bytes) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((long) WRITE.invokeExact(library.state, fd, from, bytes));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    static long seek(int fd, long offset) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((long) LSEEK.invokeExact(library.state, fd, offset, SEEK_SET));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Reads the text of a link, not terminated: readlink(2). */
    public static int readlink(MemorySegment path, MemorySegment to) {
        CLibrary library = CLibrary.current();
        try {
            return (int) library.result((long) READLINK.invokeExact(library.state, path, to, to.byteSize()));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /**
     * Reads the status of a file: statx(2).
     *
     * @param to {@link #STATX_BYTES}
     */
    public static int statx(int directory, MemorySegment path, int flags, int mask, MemorySegment to) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) STATX.invokeExact(library.state, directory, path, flags, mask, to));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /**
     * Reads the status of a file in the kernel's form, which programs see: newfstatat, for stat, lstat and fstatat.
     *
     * @param to {@link #STAT_BYTES}
     */
    public static int status(int directory, MemorySegment path, MemorySegment to, int flags) {
        return call(SystemCall.NEWFSTATAT, directory, path, to.address(), flags);
    }

    /** Checks permissions: faccessat2(2), or before Linux 5.8, without flags, faccessat. */
    public static int access(int directory, MemorySegment path, int mode, int flags) {
        int result = call(SystemCall.FACCESSAT2, directory, path, mode, flags);
        return result == -CLibrary.ENOSYS && flags == 0 ? call(SystemCall.FACCESSAT, directory, path, mode, 0) : result;
    }

    private static int call(SystemCall call, int directory, MemorySegment path, long third, long fourth) {
        CLibrary library = CLibrary.current();
        long number = Architecture.current().number(call);
        try {
            return (int) library.result((long) SYSCALL.invokeExact(library.state, number, directory, path, third, fourth));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Copies a descriptor to the lowest free number from {@code lowest} on, with the close-on-exec flag. */
    public static int duplicate(int fd, int lowest) {
        return fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    }

    /** Sets O_NONBLOCK for an open file, with all copies of its descriptor. */
    public static int setNonBlocking(int fd) {
        return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL, 0) | O_NONBLOCK);
    }

    /**
     * Opens the file of one of this process's descriptors once more, for reading: of the writing end of a pipe, its reading end.
     *
     * @param flags O_NONBLOCK, or 0
     * @return the new descriptor, close-on-exec, or minus errno
     */
    public static int reopen(int fd, int flags) {
        return open(AT_FDCWD, CLibrary.current().path.own(fd), O_RDONLY | O_CLOEXEC | flags, 0);
    }

    static int fcntl(int fd, int command, int argument) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) FCNTL.invokeExact(library.state, fd, command, argument));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    static int truncate(int fd, long bytes) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) FTRUNCATE.invokeExact(library.state, fd, bytes));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    static int unlink(MemorySegment path) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) UNLINK.invokeExact(library.state, path));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }
}
