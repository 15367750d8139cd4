// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.softrdma.verbs.Gid;

/** {@code union ibv_gid}: 16 bytes as on the wire. */
final class Gids {
    static final int BYTES = 16;

    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    private Gids() {
    }

    static Gid get(MemorySegment memory, long at) {
        return new Gid(memory.get(U64, at), memory.get(U64, at + Long.BYTES));
    }

    static void set(MemorySegment memory, long at, Gid gid) {
        memory.set(U64, at, gid.high());
        memory.set(U64, at + Long.BYTES, gid.low());
    }
}
