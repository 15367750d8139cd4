// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Command of the extended QUERY_DEVICE.
 *
 * <p>Source: {@code struct ib_uverbs_ex_query_device}.
 */
public final class ExtendedQueryDeviceCommand {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int COMP_MASK_OFFSET = 0;
    /** u32. */
    public static final int RESERVED_OFFSET = 4;

    private ExtendedQueryDeviceCommand() {
    }

    /** Zero; the kernel refuses other bits with EINVAL. */
    public static int compMask(MemorySegment m, long at) {
        return m.get(U32, at + COMP_MASK_OFFSET);
    }

    public static void compMask(MemorySegment m, long at, int value) {
        m.set(U32, at + COMP_MASK_OFFSET, value);
    }

    /** Zero. */
    public static int reserved(MemorySegment m, long at) {
        return m.get(U32, at + RESERVED_OFFSET);
    }

    public static void reserved(MemorySegment m, long at, int value) {
        m.set(U32, at + RESERVED_OFFSET, value);
    }
}
