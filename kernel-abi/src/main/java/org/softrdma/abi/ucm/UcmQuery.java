// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Body of QUERY and QUERY_ROUTE.
 *
 * <p>Source: {@code struct rdma_ucm_query}.
 */
public final class UcmQuery {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int ID_OFFSET = 8;
    /** u32. */
    public static final int OPTION_OFFSET = 12;
    /** Answered by {@link UcmQueryAddressResponse} with IP addresses. */
    public static final int ADDRESS = 0;
    /** Answered by {@link UcmQueryPathResponse}. */
    public static final int PATH = 1;
    /** Answered by {@link UcmQueryAddressResponse} with AF_IB addresses. */
    public static final int GID = 2;

    private UcmQuery() {
    }

    /** Address in the program for the response. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** {@link #ADDRESS}, {@link #PATH} or {@link #GID}; unused by QUERY_ROUTE, where the kernel takes it for padding. */
    public static int option(MemorySegment m, long at) {
        return m.get(U32, at + OPTION_OFFSET);
    }

    public static void option(MemorySegment m, long at, int value) {
        m.set(U32, at + OPTION_OFFSET, value);
    }
}
