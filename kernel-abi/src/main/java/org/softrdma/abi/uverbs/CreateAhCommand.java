// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Command CREATE_AH.
 *
 * <p>Source: {@code struct ib_uverbs_create_ah}.
 */
public final class CreateAhCommand {
    /** Size in bytes. */
    public static final int BYTES = 56;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u64. */
    public static final int USER_HANDLE_OFFSET = 8;
    /** u32. */
    public static final int PD_HANDLE_OFFSET = 16;
    /** {@link AhAttributes}: where to send to. */
    public static final int ATTR_OFFSET = 24;

    private CreateAhCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Cookie of the library. */
    public static long userHandle(MemorySegment m, long at) {
        return m.get(U64, at + USER_HANDLE_OFFSET);
    }

    public static void userHandle(MemorySegment m, long at, long value) {
        m.set(U64, at + USER_HANDLE_OFFSET, value);
    }

    /** Protection domain. */
    public static int pdHandle(MemorySegment m, long at) {
        return m.get(U32, at + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + PD_HANDLE_OFFSET, value);
    }
}
