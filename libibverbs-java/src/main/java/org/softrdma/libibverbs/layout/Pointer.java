// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** A pointer, as the address it contains. */
public record Pointer(int offset) implements Field {
    @Override
    public int bytes() {
        return 8;
    }

    public long get(MemorySegment memory, long at) {
        return memory.get(JAVA_LONG, at + offset);
    }

    public void set(MemorySegment memory, long at, long value) {
        memory.set(JAVA_LONG, at + offset, value);
    }
}
