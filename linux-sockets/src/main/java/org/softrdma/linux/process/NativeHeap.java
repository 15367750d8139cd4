// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** Heap of the C library, which holds the memory of arenas. */
public final class NativeHeap {
    /** Is null where the C library has no such function, as musl. */
    private static final MethodHandle TRIM = CLibrary.find("malloc_trim")
        .map(address -> Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(JAVA_INT, JAVA_LONG))).orElse(null);

    private NativeHeap() {
    }

    /**
     * Returns freed memory to the system. glibc keeps what lies between blocks in use, in each of its arenas, and without this call returns
     * memory only from the end of the heap.
     *
     * @return whether any memory was returned
     */
    public static boolean trim() {
        try {
            return TRIM != null && (int) TRIM.invokeExact(0L) != 0;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }
}
