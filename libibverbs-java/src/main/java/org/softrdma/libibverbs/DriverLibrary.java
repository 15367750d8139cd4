// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.softrdma.libibverbs.NativeFunction.INT;
import static org.softrdma.libibverbs.NativeFunction.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** The library that a function belongs to. Source: dladdr(3). */
final class DriverLibrary {
    private static final NativeFunction DLADDR = NativeFunction.of(Linker.nativeLinker().defaultLookup(), "dladdr", INT, LONG, LONG);
    /** Size of {@code Dl_info}; the name of the file is its first field. */
    private static final int INFO_BYTES = 32;

    private DriverLibrary() {
    }

    /**
     * Returns the file name of the library that contains a function.
     *
     * @param function address
     * @return empty if it is in none, or the C library does not say
     */
    static String of(long function) {
        if (!DLADDR.isThere()) {
            return "";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(INFO_BYTES, 8);
            boolean found = DLADDR.call(function, info.address()) != 0;
            return found ? Path.of(NativeMemory.ALL.getString(info.get(JAVA_LONG, 0))).getFileName().toString() : "";
        }
    }
}
