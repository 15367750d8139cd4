// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Head of a command written to the uverbs descriptor. With the ioctl in use only doorbells are written: {@link PostSendCommand} follows.
 *
 * <p>Source: {@code struct ib_uverbs_cmd_hdr}.
 */
public final class LegacyHeader {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int COMMAND_OFFSET = 0;
    /** u16. */
    public static final int IN_WORDS_OFFSET = 4;
    /** u16. */
    public static final int OUT_WORDS_OFFSET = 6;

    private LegacyHeader() {
    }

    /** Number of the command, one of {@link UverbsCommand}. */
    public static int command(MemorySegment m, long at) {
        return m.get(U32, at + COMMAND_OFFSET);
    }

    public static void command(MemorySegment m, long at, int value) {
        m.set(U32, at + COMMAND_OFFSET, value);
    }

    /** Size of header and command in units of 4 bytes. */
    public static int inWords(MemorySegment m, long at) {
        return m.get(U16, at + IN_WORDS_OFFSET) & 0xFFFF;
    }

    public static void inWords(MemorySegment m, long at, int value) {
        m.set(U16, at + IN_WORDS_OFFSET, (short) value);
    }

    /** Size of the response in units of 4 bytes. */
    public static int outWords(MemorySegment m, long at) {
        return m.get(U16, at + OUT_WORDS_OFFSET) & 0xFFFF;
    }

    public static void outWords(MemorySegment m, long at, int value) {
        m.set(U16, at + OUT_WORDS_OFFSET, (short) value);
    }
}
