// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** A field of 32 bits in network byte order. */
public record BigEndianU32(int offset) implements Field {
    private static final ValueLayout.OfInt LAYOUT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    @Override
    public int bytes() {
        return 4;
    }

    public int get(MemorySegment memory, long at) {
        return memory.get(LAYOUT, at + offset);
    }

    public void set(MemorySegment memory, long at, int value) {
        memory.set(LAYOUT, at + offset, value);
    }
}
