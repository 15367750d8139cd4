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

/** Limits that Linux sets on a resource of this process. Source: getrlimit(2). */
final class ResourceLimit {
    /** Result of {@link #soft}: no limit, or it is not known. */
    static final long NONE = -1;

    static final int RLIMIT_NOFILE = 7;
    static final int RLIMIT_MEMLOCK = 8;

    private ResourceLimit() {
    }

    /** Function of the C library, linked on first use. */
    private static final class Calls {
        private static final MethodHandle GETRLIMIT = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow("getrlimit"), FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    }

    /** The soft limit, or {@link #NONE}, which it is on systems other than Linux and if the JVM denies native code. */
    static long soft(int resource) {
        if (!NativeCalls.arePossible()) {
            return NONE;
        }
        try (Arena arena = Arena.ofConfined()) {
            // struct rlimit: the soft limit, then the hard one
            MemorySegment limits = arena.allocate(JAVA_LONG, 2);
            return (int) Calls.GETRLIMIT.invokeExact(resource, limits) == 0 ? Math.max(NONE, limits.get(JAVA_LONG, 0)) : NONE;
        } catch (Throwable impossible) {
            throw new AssertionError("getrlimit", impossible);
        }
    }
}
