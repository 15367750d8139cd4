// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The limit that Linux sets on the memory that this process may lock. */
public final class MemoryLockLimit {
    private static final int CAP_IPC_LOCK = 14;
    private static final String EFFECTIVE = "CapEff:";
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final long USUAL_PAGE_BYTES = 4096;

    private MemoryLockLimit() {
    }

    /** Function of the C library, linked on first use. */
    private static final class Calls {
        private static final MethodHandle GETPAGESIZE = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow("getpagesize"), FunctionDescriptor.of(JAVA_INT));
    }

    /**
     * The soft limit of {@code ulimit -l}.
     *
     * @return bytes; {@link Long#MAX_VALUE} without limit, with CAP_IPC_LOCK, on systems other than Linux, and if the JVM denies native
     * code
     */
    public static long bytes() {
        long soft = ResourceLimit.soft(ResourceLimit.RLIMIT_MEMLOCK);
        return soft == ResourceLimit.NONE || isPrivileged() ? Long.MAX_VALUE : soft;
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
