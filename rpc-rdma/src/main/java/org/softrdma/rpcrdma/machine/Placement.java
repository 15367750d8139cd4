// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.util.Arrays;
import org.softrdma.rpcrdma.wire.ChunkLists;

/** Plan of the RDMA WRITEs of a reply: parts of a work buffer, spread over the segments of write chunks and the reply chunk. Reusable. */
final class Placement {
    private final int[] from = new int[ChunkLists.MAX_SEGMENTS];
    private final int[] segment = new int[ChunkLists.MAX_SEGMENTS];
    private final int[] bytes = new int[ChunkLists.MAX_SEGMENTS];
    private int writes;
    /** Bytes placed into each segment. */
    private final long[] used = new long[ChunkLists.MAX_SEGMENTS];

    /** Begins a reply to a call with these chunks. */
    void begin(ChunkLists lists) {
        writes = 0;
        Arrays.fill(used, 0, lists.segments(), 0);
    }

    /**
     * Places bytes into a chunk, filling one segment after the other.
     *
     * @param offset of the bytes in the work buffer
     * @param length at most the chunk's
     */
    void place(ChunkLists lists, int chunk, int offset, int length) {
        int done = 0;
        for (int i = lists.first(chunk); i < lists.last(chunk) && done < length; i++) {
            int some = (int) Math.min(length - done, lists.length(i));
            if (some > 0) {
                from[writes] = offset + done;
                segment[writes] = i;
                bytes[writes++] = some;
                used[i] = some;
                done += some;
            }
        }
    }

    /** Number of RDMA WRITEs. */
    int writes() {
        return writes;
    }

    /** Offset of a WRITE's data in the work buffer. */
    int offset(int write) {
        return from[write];
    }

    int bytes(int write) {
        return bytes[write];
    }

    /** Segment that a WRITE goes to. */
    int segment(int write) {
        return segment[write];
    }

    /** Bytes placed into each segment of the call's lists. */
    long[] used() {
        return used;
    }
}
