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
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** A program's side of a {@link SharedFile}: the mapping, and the write that its owner watches. Any thread. */
public final class SharedFileView implements AutoCloseable {
    /** Bytes of a doorbell, which say nothing. */
    private static final int BELL_BYTES = 32;
    private static final MemorySegment BELL = Arena.global().allocate(BELL_BYTES, 8);
    private static final MethodHandle PWRITE =
        CLibrary.function("pwrite", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private final int fd;
    private final OpenGuard guard = new OpenGuard();

    /**
     * Takes over a descriptor.
     *
     * @param fd a copy of {@link SharedFile#fd}
     */
    public SharedFileView(int fd) {
        this.fd = fd;
    }

    /**
     * Maps the beginning of the file.
     *
     * @param arena unmaps it when closed
     * @throws VerbsException ENOMEM: it cannot be mapped
     */
    public MemorySegment map(long bytes, Arena arena) {
        try (FileChannel channel = FileChannel.open(Path.of("/proc/self/fd/" + fd), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
        } catch (IOException failed) {
            throw new VerbsException(Errno.ENOMEM, "mmap", bytes + " bytes of the daemon's file in /dev/shm", failed);
        }
    }

    /**
     * Rings the doorbell: writes to the file, whose owner is notified. Allocates nothing.
     *
     * @param offset in the file, behind what is mapped; the file position, which all copies share, is left alone
     * @return false if the file is closed or cannot be written
     */
    public boolean ring(long offset) {
        if (!guard.enter()) {
            return false;
        }
        try {
            CLibrary library = CLibrary.current();
            return (long) PWRITE.invokeExact(library.state, fd, BELL.address(), (long) BELL_BYTES, offset) == BELL_BYTES;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        } finally {
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
