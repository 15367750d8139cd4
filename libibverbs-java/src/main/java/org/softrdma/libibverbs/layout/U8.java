// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/** A field of 8 bits. */
public record U8(int offset) implements Field {
    @Override
    public int bytes() {
        return 1;
    }

    public int get(MemorySegment memory, long at) {
        return memory.get(JAVA_BYTE, at + offset) & 0xff;
    }

    public void set(MemorySegment memory, long at, int value) {
        memory.set(JAVA_BYTE, at + offset, (byte) value);
    }
}
