// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The limit that Linux sets on the memory that this process may lock. */
public final class MemoryLockLimit {
    private static final int RLIMIT_MEMLOCK = 8;
    private static final long RLIM_INFINITY = -1;
    private static final int CAP_IPC_LOCK = 14;
    private static final String EFFECTIVE = "CapEff:";
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final long USUAL_PAGE_BYTES = 4096;

    private MemoryLockLimit() {
    }

    /** Functions of the C library, linked on first use. */
    private static final class Calls {
        private static final MethodHandle GETRLIMIT = find("getrlimit", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
        private static final MethodHandle GETPAGESIZE = find("getpagesize", FunctionDescriptor.of(JAVA_INT));

        private static MethodHandle find(String name, FunctionDescriptor descriptor) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
        }
    }

    /**
     * The soft limit of {@code ulimit -l}.
     *
     * @return bytes; {@link Long#MAX_VALUE} without limit, with CAP_IPC_LOCK, on systems other than Linux, and if the JVM denies native
     * code
     */
    public static long bytes() {
        if (!NativeCalls.arePossible() || isPrivileged()) {
            return Long.MAX_VALUE;
        }
        try (Arena arena = Arena.ofConfined()) {
            // struct rlimit: the soft limit, then the hard one
            MemorySegment limits = arena.allocate(JAVA_LONG, 2);
            if ((int) Calls.GETRLIMIT.invokeExact(RLIMIT_MEMLOCK, limits) != 0) {
                return Long.MAX_VALUE;
            }
            long soft = limits.get(JAVA_LONG, 0);
            return soft == RLIM_INFINITY || soft < 0 ? Long.MAX_VALUE : soft;
        } catch (Throwable impossible) {
            throw new AssertionError("getrlimit", impossible);
        }
    }

    public static long pageBytes() {
        if (!NativeCalls.arePossible()) {
            return USUAL_PAGE_BYTES;
        }
        try {
            return (int) Calls.GETPAGESIZE.invokeExact();
        } catch (Throwable impossible) {
            throw new AssertionError("getpagesize", impossible);
        }
    }

    private static boolean isPrivileged() {
        try {
            return mayLock(Files.readAllLines(STATUS));
        } catch (IOException unknown) {
            return false;
        }
    }

    /**
     * Reads the capability CAP_IPC_LOCK from a process's status.
     *
     * @param status lines of {@code /proc/PID/status}
     * @return true if the effective set has the capability
     */
    public static boolean mayLock(List<String> status) {
        for (String line : status) {
            if (line.startsWith(EFFECTIVE)) {
                return (Long.parseUnsignedLong(line.substring(EFFECTIVE.length()).strip(), 16) >>> CAP_IPC_LOCK & 1) != 0;
            }
        }
        return false;
    }
}
