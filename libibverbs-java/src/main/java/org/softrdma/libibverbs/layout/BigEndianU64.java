// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** A field of 64 bits in network byte order. */
public record BigEndianU64(int offset) implements Field {
    private static final ValueLayout.OfLong LAYOUT = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    @Override
    public int bytes() {
        return 8;
    }

    public long get(MemorySegment memory, long at) {
        return memory.get(LAYOUT, at + offset);
    }

    public void set(MemorySegment memory, long at, long value) {
        memory.set(LAYOUT, at + offset, value);
    }
}
