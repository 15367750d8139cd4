// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Command of the extended MODIFY_QP.
 *
 * <p>Source: {@code struct ib_uverbs_ex_modify_qp}.
 */
public final class ExtendedModifyQpCommand {
    /** Size in bytes. */
    public static final int BYTES = 120;
    /** {@link ModifyQpCommand}: the plain command. */
    public static final int BASE_OFFSET = 0;
    /** u32. */
    public static final int RATE_LIMIT_OFFSET = 112;
    /** u32. */
    public static final int RESERVED_OFFSET = 116;

    private ExtendedModifyQpCommand() {
    }

    /** Rate limit in kbit/s. */
    public static int rateLimit(MemorySegment m, long at) {
        return m.get(U32, at + RATE_LIMIT_OFFSET);
    }

    public static void rateLimit(MemorySegment m, long at, int value) {
        m.set(U32, at + RATE_LIMIT_OFFSET, value);
    }

    /** Zero. */
    public static int reserved(MemorySegment m, long at) {
        return m.get(U32, at + RESERVED_OFFSET);
    }

    public static void reserved(MemorySegment m, long at, int value) {
        m.set(U32, at + RESERVED_OFFSET, value);
    }
}
