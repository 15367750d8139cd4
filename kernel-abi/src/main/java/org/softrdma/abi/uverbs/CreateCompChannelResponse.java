// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;

import java.lang.foreign.MemorySegment;

/**
 * Answer to CREATE_COMP_CHANNEL.
 *
 * <p>Source: {@code struct ib_uverbs_create_comp_channel_resp}.
 */
public final class CreateCompChannelResponse {
    /** Size in bytes. */
    public static final int BYTES = 4;
    /** u32. */
    public static final int FD_OFFSET = 0;

    private CreateCompChannelResponse() {
    }

    /** Descriptor in the program, from which {@link CompletionEventRecord}s are read. */
    public static int fd(MemorySegment m, long at) {
        return m.get(U32, at + FD_OFFSET);
    }

    public static void fd(MemorySegment m, long at, int value) {
        m.set(U32, at + FD_OFFSET, value);
    }
}
