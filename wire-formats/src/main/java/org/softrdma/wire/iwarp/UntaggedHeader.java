// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * The DDP header of a segment that belongs to a message in a queue.
 *
 * <pre>
 *  0 | control (2), see Ddp |
 *  2 | invalidate STag (4), zero where there is none |
 *  6 | queue number (4) |
 * 10 | message sequence number (4) |
 * 14 | message offset (4) |
 * </pre>
 *
 * Source: RFC 5041 §4.3, RFC 5040 §4.2.
 */
public final class UntaggedHeader {
    /** Bytes. */
    public static final int LENGTH = 18;
    /** u32. */
    public static final int INVALIDATE_STAG_OFFSET = 2;
    /** u32. */
    public static final int QN_OFFSET = 6;
    /** u32. */
    public static final int MSN_OFFSET = 10;
    /** u32. */
    public static final int MO_OFFSET = 14;

    private UntaggedHeader() {
    }

    /**
     * {@return the key a SEND with Invalidate closes, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static int invalidateStag(ByteBuffer b, int at) {
        return b.getInt(at + INVALIDATE_STAG_OFFSET);
    }

    /**
     * {@return the queue, raw 32 bits; {@link RdmapOpcode} knows which are in use}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static int qn(ByteBuffer b, int at) {
        return b.getInt(at + QN_OFFSET);
    }

    /**
     * {@return number of the message in its queue, from 1, raw 32 bits: it wraps}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static int msn(ByteBuffer b, int at) {
        return b.getInt(at + MSN_OFFSET);
    }

    /**
     * {@return the offset in the message where this segment's payload belongs, u32}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static long mo(ByteBuffer b, int at) {
        return b.getInt(at + MO_OFFSET) & 0xFFFF_FFFFL;
    }

    /**
     * Writes all 18 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     * @param last whether the segment is the last one of its message
     * @param opcode an {@link RdmapOpcode} of an untagged message
     * @param invalidateStag key to invalidate, raw 32 bits; 0 if none
     * @param qn queue number, raw 32 bits
     * @param msn number of the message in its queue, raw 32 bits
     * @param mo u32
     */
    public static void put(ByteBuffer b, int at, boolean last, int opcode, int invalidateStag, int qn, int msn, long mo) {
        Ddp.put(b, at, false, last, opcode);
        b.putInt(at + INVALIDATE_STAG_OFFSET, invalidateStag);
        b.putInt(at + QN_OFFSET, qn);
        b.putInt(at + MSN_OFFSET, msn);
        b.putInt(at + MO_OFFSET, (int) mo);
    }
}
