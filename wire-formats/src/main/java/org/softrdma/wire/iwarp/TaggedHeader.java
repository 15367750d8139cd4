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

    /** Key of the memory, raw 32 bits. */
    public static int stag(ByteBuffer b, int at) {
        return b.getInt(at + STAG_OFFSET);
    }

    /** Where this segment's payload belongs, u64. */
    public static long to(ByteBuffer b, int at) {
        return b.getLong(at + TO_OFFSET);
    }

    /**
     * Writes all 14 bytes.
     *
     * @param opcode an {@link RdmapOpcode} of a tagged message
     */
    public static void put(ByteBuffer b, int at, boolean last, int opcode, int stag, long to) {
        Ddp.put(b, at, true, last, opcode);
        b.putInt(at + STAG_OFFSET, stag);
        b.putLong(at + TO_OFFSET, to);
    }
}
