// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Driver input (UHW_IN) of MODIFY_SRQ from librxe.
 *
 * <p>Source: {@code struct rxe_modify_srq_cmd}.
 */
public final class RxeModifySrqCommand {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u64. */
    public static final int MMAP_INFO_ADDR_OFFSET = 0;

    private RxeModifySrqCommand() {
    }

    /** Address in the program of a {@link MmapInfo}, to be filled if the ring moves. */
    public static long mmapInfoAddr(MemorySegment m, long at) {
        return m.get(U64, at + MMAP_INFO_ADDR_OFFSET);
    }

    public static void mmapInfoAddr(MemorySegment m, long at, long value) {
        m.set(U64, at + MMAP_INFO_ADDR_OFFSET, value);
    }
}
