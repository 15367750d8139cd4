// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.MemorySegment;

/** The process's memory, for reading structures that a library owns at their addresses. */
final class NativeMemory {
    /** All of it: offsets are addresses. */
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private NativeMemory() {
    }
}
