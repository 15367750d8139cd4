// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The limit that Linux sets on the file descriptors of this process. */
public final class OpenFileLimit {
    /** Result of {@link #files}: the limit is not known. */
    public static final long UNKNOWN = -1;

    private static final int RLIMIT_NOFILE = 7;

    private OpenFileLimit() {
    }

    /** Function of the C library, linked on first use. */
    private static final class Calls {
        private static final MethodHandle GETRLIMIT = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow("getrlimit"), FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    }

    /** The soft limit of {@code ulimit -n}, or {@link #UNKNOWN} on systems other than Linux and if the JVM denies native code. */
    public static long files() {
        if (!NativeCalls.arePossible()) {
            return UNKNOWN;
        }
        try (Arena arena = Arena.ofConfined()) {
            // struct rlimit: the soft limit, then the hard one
            MemorySegment limits = arena.allocate(JAVA_LONG, 2);
            return (int) Calls.GETRLIMIT.invokeExact(RLIMIT_NOFILE, limits) == 0 ? limits.get(JAVA_LONG, 0) : UNKNOWN;
        } catch (Throwable impossible) {
            throw new AssertionError("getrlimit", impossible);
        }
    }

    /** Describes the limit for a message about EMFILE, and what to do. */
    public static String advice() {
        long files = files();
        return "the process has no more file descriptors; its limit is " + (files == UNKNOWN ? "that of ulimit -n" : files)
            + ". Raise it with ulimit -n before the program starts";
    }
}
