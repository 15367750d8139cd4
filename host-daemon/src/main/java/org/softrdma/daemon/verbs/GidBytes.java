// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.AbiLayout;
import org.softrdma.verbs.Gid;

/** GIDs in structures: 16 bytes in network order. */
public final class GidBytes {
    private GidBytes() {
    }

    /** Reads a GID. */
    public static Gid read(MemorySegment from, long at) {
        return new Gid(from.get(AbiLayout.BE64, at), from.get(AbiLayout.BE64, at + Long.BYTES));
    }

    /** Writes a GID. */
    public static void write(MemorySegment to, long at, Gid gid) {
        to.set(AbiLayout.BE64, at, gid.high());
        to.set(AbiLayout.BE64, at + Long.BYTES, gid.low());
    }
}
