// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.softrdma.verbs.AccessFlags;

/** A table of keys, and 4 KiB of memory. */
abstract class MemoryTableFixture {
    static final int ALL = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND;
    static final int PD = 7;
    static final int QPN = 0x11;

    final MemoryTable table = new MemoryTable(new SplittableRandom(1), 1 << 19, 1 << 19);
    final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);

    final Region register(MemorySegment segment, int access) {
        return table.register(segment, segment.address(), access, PD);
    }
}
