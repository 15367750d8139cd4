// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Command OPEN_XRCD.
 *
 * <p>Source: {@code struct ib_uverbs_open_xrcd}.
 */
public final class OpenXrcdCommand {
    /** Size in bytes. */
    public static final int BYTES = 16;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u32. */
    public static final int FD_OFFSET = 8;
    /** u32. */
    public static final int OFLAGS_OFFSET = 12;

    private OpenXrcdCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Descriptor of the file that names the domain, or all ones. */
    public static int fd(MemorySegment m, long at) {
        return m.get(U32, at + FD_OFFSET);
    }

    public static void fd(MemorySegment m, long at, int value) {
        m.set(U32, at + FD_OFFSET, value);
    }

    /** O_CREAT and O_EXCL as in open(2). */
    public static int oflags(MemorySegment m, long at) {
        return m.get(U32, at + OFLAGS_OFFSET);
    }

    public static void oflags(MemorySegment m, long at, int value) {
        m.set(U32, at + OFLAGS_OFFSET, value);
    }
}
