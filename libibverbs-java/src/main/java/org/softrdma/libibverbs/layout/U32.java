// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** A field of 32 bits, signed or not. */
public record U32(int offset) implements Field {
    @Override
    public int bytes() {
        return 4;
    }

    public int get(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + offset);
    }

    public void set(MemorySegment memory, long at, int value) {
        memory.set(JAVA_INT, at + offset, value);
    }
}
