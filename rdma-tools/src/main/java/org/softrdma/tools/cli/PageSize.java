// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/** Size of a memory page, which the JDK does not provide: {@code getpagesize} of the C library. */
public final class PageSize {
    private static final int USUAL = 4096;

    private PageSize() {
    }

    /** @return bytes; 4096 if the C library has no such call (Windows, whose pages have that size), or the JVM denies it */
    public static int bytes() {
        Linker linker = Linker.nativeLinker();
        Optional<MemorySegment> function = linker.defaultLookup().find("getpagesize");
        if (function.isEmpty()) {
            return USUAL;
        }
        try {
            return (int) linker.downcallHandle(function.get(), FunctionDescriptor.of(ValueLayout.JAVA_INT)).invokeExact();
        } catch (IllegalCallerException denied) {
            // By the JVM, which denies native code under --illegal-native-access=deny.
            return USUAL;
        } catch (Throwable impossible) {
            throw new AssertionError("getpagesize takes nothing and cannot fail", impossible);
        }
    }
}
