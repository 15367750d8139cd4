// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * The DDP header of a segment that names the memory its payload belongs to.
 *
 * <pre>
 *  0 | control (2), see Ddp |
 *  2 | STag (4) |
 *  6 | tagged offset (8) |
 * </pre>
 *
 * Source: RFC 5041 §4.2.
 */
public final class TaggedHeader {
    /** Bytes. */
    public static final int LENGTH = 14;
    /** u32. */
    public static final int STAG_OFFSET = 2;
    /** u64. */
    public static final int TO_OFFSET = 6;

    private TaggedHeader() {
    }

    /**
     * {@return key of the memory, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static int stag(ByteBuffer b, int at) {
        return b.getInt(at + STAG_OFFSET);
    }

    /**
     * {@return the address where this segment's payload belongs, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static long to(ByteBuffer b, int at) {
        return b.getLong(at + TO_OFFSET);
    }

    /**
     * Writes all 14 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     * @param last whether the segment is the last one of its message
     * @param opcode an {@link RdmapOpcode} of a tagged message
     * @param stag key of the remote memory, raw 32 bits
     * @param to address in the remote memory, u64
     */
    public static void put(ByteBuffer b, int at, boolean last, int opcode, int stag, long to) {
        Ddp.put(b, at, true, last, opcode);
        b.putInt(at + STAG_OFFSET, stag);
        b.putLong(at + TO_OFFSET, to);
    }
}
