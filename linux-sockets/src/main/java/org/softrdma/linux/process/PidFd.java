// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import org.softrdma.linux.LinuxSockets;

/**
 * A descriptor of a process, which never means another one. It becomes readable when the process ends. Source: pidfd_open(2); Linux 5.3.
 */
public final class PidFd implements AutoCloseable {
    private static final long PIDFD_OPEN = 434;

    private static final MethodHandle SYSCALL =
        CLibrary.variadic("syscall", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG), 1);

    private final int fd;
    private final OpenGuard guard = new OpenGuard();

    /** Takes over a descriptor, which another process may have passed. */
    public PidFd(int fd) {
        this.fd = fd;
    }

    /**
     * Opens a descriptor of a process.
     *
     * @param pid a process: the leader of its threads
     * @throws VerbsException ESRCH as EIO: there is no such process
     */
    public static PidFd open(int pid) {
        return new PidFd(CLibrary.check(openDescriptor(pid), "pidfd_open", "process " + pid));
    }

    private static int openDescriptor(int pid) {
        CLibrary library = CLibrary.current();
        try {
            return (int) library.result((long) SYSCALL.invokeExact(library.state, PIDFD_OPEN, (long) pid, 0L));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** The descriptor, for polling or for passing it to another process. */
    public int fd() {
        return fd;
    }

    /** Whether the process has ended, as a zombie too. */
    public boolean hasEnded() {
        return guard.enter() && leave(EventPipe.events(fd, EventPipe.POLLIN) != 0);
    }

    private boolean leave(boolean result) {
        guard.leave();
        return result;
    }

    @Override
    public void close() {
        if (guard.close()) {
            LinuxSockets.close(fd);
        }
    }
}
