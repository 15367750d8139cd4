// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to QUERY with {@link UcmQuery#PATH}.
 *
 * <p>Source: {@code struct rdma_ucm_query_path_resp}.
 */
public final class UcmQueryPathResponse {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int NUM_PATHS_OFFSET = 0;
    /** {@link UcmPath}: first path; outside of the fixed part. */
    public static final int PATH_DATA_OFFSET = 8;

    private UcmQueryPathResponse() {
    }

    /** Number of paths. */
    public static int numPaths(MemorySegment m, long at) {
        return m.get(U32, at + NUM_PATHS_OFFSET);
    }

    public static void numPaths(MemorySegment m, long at, int value) {
        m.set(U32, at + NUM_PATHS_OFFSET, value);
    }
}
