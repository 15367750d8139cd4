// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A sparse file in memory without a name, shared with programs that hold copies of its descriptor: they map it and write to it natively.
 * It is a file of /dev/shm (tmpfs) because writes to it are watched by inotify, which Linux does not do for memfd_create(2). Any thread.
 *
 * <p>A program may shorten the file through its copy, or the file system may be full: a mapped page is then lost, and access to it is an
 * {@link InternalError}. Reserve ranges before they are used.
 */
public final class SharedFile implements AutoCloseable {
    private static final String DIRECTORY = "/dev/shm/";
    private static final int OWNER_ONLY = 0600;
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final MethodHandle POSIX_FALLOCATE =
        CLibrary.function("posix_fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));

    private final int fd;
    private final FileIdentity identity;
    private final OpenGuard guard = new OpenGuard();

    /**
     * Creates a file.
     *
     * @param name  what the file is, for the text of its link; no slash
     * @param bytes its size, which takes no memory before it is used
     * @throws VerbsException ENOENT, EACCES: there is no /dev/shm to write to; EMFILE: no more descriptors
     */
    public SharedFile(String name, long bytes) {
        String path = DIRECTORY + "softrdma-" + name + '-' + ProcessHandle.current().pid() + '-' + unguessable();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment string = arena.allocateFrom(path);
            fd = CLibrary.check(Descriptors.open(Descriptors.AT_FDCWD, string,
                CLibrary.O_RDWR | CLibrary.O_CREAT | CLibrary.O_EXCL | CLibrary.O_CLOEXEC, OWNER_ONLY), "open_device", path);
            Descriptors.unlink(string);
        }
        int result = Descriptors.truncate(fd, bytes);
        if (result < 0) {
            LinuxSockets.close(fd);
            throw LinuxSockets.failure(-result, "open_device", path + " with " + bytes + " bytes");
        }
        identity = FileIdentity.ofOwn(fd);
    }

    /** Part of a name that no other user of the host can take first. */
    private static String unguessable() {
        return Long.toHexString(RANDOM.nextLong());
    }

    /** The descriptor, for copies in programs; open until {@link #close}. */
    public int fd() {
        return fd;
    }

    /** The identity that {@link ProcessInfo#identify} finds for copies of the descriptor. */
    public FileIdentity identity() {
        return identity;
    }

    /** The text of the link below /proc of this and every copy of the descriptor: a path and {@code " (deleted)"}. */
    public String linkText() {
        return ProcessInfo.fdLink((int) ProcessHandle.current().pid(), fd);
    }

    /**
     * Reserves memory for a range, so that access to it cannot fail for want of memory.
     *
     * @throws VerbsException ENOSPC as EIO, or ENOMEM: /dev/shm is full
     */
    public void reserve(long offset, long bytes) {
        requireOpen();
        try {
            int errno = (int) POSIX_FALLOCATE.invokeExact(CLibrary.current().state, fd, offset, bytes);
            if (errno != 0) {
                throw LinuxSockets.failure(errno, "mmap", bytes + " bytes in /dev/shm, which may be full");
            }
        } catch (VerbsException full) {
            throw full;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        } finally {
            guard.leave();
        }
    }

    /**
     * Maps a range.
     *
     * @param offset a multiple of the page size is mapped without waste
     * @param arena  unmaps it when closed
     * @throws VerbsException ENOMEM: the range cannot be mapped
     */
    public MemorySegment map(long offset, long bytes, Arena arena) {
        requireOpen();
        try (FileChannel channel = FileChannel.open(Path.of("/proc/self/fd/" + fd), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, offset, bytes, arena);
        } catch (IOException failed) {
            throw new VerbsException(Errno.ENOMEM, "mmap", bytes + " bytes of a file in /dev/shm", failed);
        } finally {
            guard.leave();
        }
    }

    private void requireOpen() {
        if (!guard.enter()) {
            throw new VerbsException(Errno.EINVAL, "mmap", "the file is closed");
        }
    }

    /** Moves the file position, which all copies of the descriptor share: where the next write of a program goes. */
    public void seek(long offset) {
        if (guard.enter()) {
            Descriptors.seek(fd, offset);
            guard.leave();
        }
    }

    /** Closes the descriptor; mappings stay. */
    @Override
    public void close() {
        if (guard.close()) {
            LinuxSockets.close(fd);
        }
    }
}
