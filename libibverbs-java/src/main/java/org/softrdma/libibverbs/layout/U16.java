// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/** A field of 16 bits. */
public record U16(int offset) implements Field {
    @Override
    public int bytes() {
        return 2;
    }

    public int get(MemorySegment memory, long at) {
        return memory.get(JAVA_SHORT, at + offset) & 0xffff;
    }

    public void set(MemorySegment memory, long at, int value) {
        memory.set(JAVA_SHORT, at + offset, (short) value);
    }
}
