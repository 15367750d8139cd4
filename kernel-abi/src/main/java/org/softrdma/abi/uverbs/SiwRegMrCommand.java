// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Driver input (UHW_IN) of REG_MR from libsiw.
 *
 * <p>Source: {@code struct siw_ureq_reg_mr}.
 */
public final class SiwRegMrCommand {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u8. */
    public static final int STAG_KEY_OFFSET = 0;

    private SiwRegMrCommand() {
    }

    /** Low byte of the STag, chosen by the library. */
    public static int stagKey(MemorySegment m, long at) {
        return m.get(U8, at + STAG_KEY_OFFSET) & 0xFF;
    }

    public static void stagKey(MemorySegment m, long at, int value) {
        m.set(U8, at + STAG_KEY_OFFSET, (byte) value);
    }
}
