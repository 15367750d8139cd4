// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Installation of a filter with a listener on the calling thread: prctl(2) and seccomp(2). */
final class FilterInstallation {
    private static final int SET_NO_NEW_PRIVS = 38;
    private static final int SET_MODE_FILTER = 1;
    private static final int GET_ACTION_AVAIL = 2;
    private static final int NEW_LISTENER = 8;
    private static final int WAIT_KILLABLE_RECV = 0x20;
    private static final int EPERM = 1;
    private static final int EACCES = 13;
    private static final int EBUSY = 16;
    private static final int EOPNOTSUPP = 95;

    /** With five arguments: prctl(2) refuses this operation if one that it does not use is not 0. */
    private static final MethodHandle SYSCALL = CLibrary.variadic("syscall",
        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG), 1);

    private final Architecture architecture;
    /** struct sock_fprog: u16 number of instructions, then their address. */
    private final MemorySegment program;
    private final MemorySegment action;

    FilterInstallation(Architecture architecture, SeccompFilter filter, Arena arena) {
        this.architecture = architecture;
        program = arena.allocate(16, 8);
        program.set(JAVA_SHORT, 0, (short) filter.length());
        program.set(JAVA_LONG, 8, filter.assemble(arena).address());
        action = arena.allocate(JAVA_INT);
        action.set(JAVA_INT, 0, SeccompFilter.NOTIFY);
    }

    /**
     * Checks what can be checked without installing. It also makes the JVM link the calls that {@link #install} makes.
     *
     * @throws VerbsException EOPNOTSUPP or another reason why the kernel does not notify listeners
     */
    void check() {
        long result = syscall(architecture.seccomp, GET_ACTION_AVAIL, 0, action.address());
        if (result < 0) {
            throw failure((int) -result);
        }
    }

    /**
     * Installs the filter on the calling thread, for good. No class is loaded, and nothing allocated.
     *
     * @param killableOnly whether a received call can be cancelled by fatal signals only; ignored before Linux 5.19
     * @return the listener, or minus errno
     */
    int install(boolean killableOnly) {
        long result = syscall(architecture.prctl, SET_NO_NEW_PRIVS, 1, 0);
        if (result < 0) {
            return (int) result;
        }
        if (killableOnly) {
            result = syscall(architecture.seccomp, SET_MODE_FILTER, NEW_LISTENER | WAIT_KILLABLE_RECV, program.address());
            if (result != -CLibrary.EINVAL) {
                return (int) result;
            }
        }
        return (int) syscall(architecture.seccomp, SET_MODE_FILTER, NEW_LISTENER, program.address());
    }

    private static long syscall(int number, long first, long second, long third) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((long) SYSCALL.invokeExact(library.state, (long) number, first, second, third, 0L, 0L));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Explains why the filter was not installed. */
    static VerbsException failure(int errno) {
        return switch (errno) {
            case EBUSY -> LinuxSockets.failure(errno, "seccomp",
                "a filter above this process has a listener already, and Linux allows one: "
                + "that of the container's runtime, of a sandbox, or of another run");
            case EPERM, EACCES -> LinuxSockets.failure(errno, "seccomp",
                "this process may not install a filter: allow seccomp(2) in the profile of the container or sandbox");
            case CLibrary.ENOSYS -> LinuxSockets.failure(errno, "seccomp",
                "the kernel has no seccomp(2), or a filter above this process hides it");
            case CLibrary.EINVAL, EOPNOTSUPP -> new VerbsException(Errno.EOPNOTSUPP, "seccomp",
                "the kernel does not notify listeners of system calls; Linux 5.9 or newer can");
            default -> LinuxSockets.failure(errno, "seccomp", "the filter was not installed");
        };
    }
}
