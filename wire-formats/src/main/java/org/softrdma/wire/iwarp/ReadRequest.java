// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * Header of an RDMA READ request, after the untagged header.
 *
 * <pre>
 *  0 | sink STag (4) |
 *  4 | sink tagged offset (8) |
 * 12 | message size (4) |
 * 16 | source STag (4) |
 * 20 | source tagged offset (8) |
 * </pre>
 *
 * The sink is where the response belongs: the responder copies it into the response and need not understand it. Source: RFC 5040 §4.4.
 */
public final class ReadRequest {
    /** Bytes. */
    public static final int LENGTH = 28;
    /** u32. */
    public static final int SINK_STAG_OFFSET = 0;
    /** u64. */
    public static final int SINK_TO_OFFSET = 4;
    /** u32. */
    public static final int SIZE_OFFSET = 12;
    /** u32. */
    public static final int SOURCE_STAG_OFFSET = 16;
    /** u64. */
    public static final int SOURCE_TO_OFFSET = 20;

    private ReadRequest() {
    }

    /**
     * {@return key of the memory that the data go to, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int sinkStag(ByteBuffer b, int at) {
        return b.getInt(at + SINK_STAG_OFFSET);
    }

    /**
     * {@return address that the data go to, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static long sinkTo(ByteBuffer b, int at) {
        return b.getLong(at + SINK_TO_OFFSET);
    }

    /**
     * {@return bytes to read, u32}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static long size(ByteBuffer b, int at) {
        return b.getInt(at + SIZE_OFFSET) & 0xFFFF_FFFFL;
    }

    /**
     * {@return key of the memory to read, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int sourceStag(ByteBuffer b, int at) {
        return b.getInt(at + SOURCE_STAG_OFFSET);
    }

    /**
     * {@return address to read from, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static long sourceTo(ByteBuffer b, int at) {
        return b.getLong(at + SOURCE_TO_OFFSET);
    }

    /**
     * Writes all 28 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     * @param sinkStag key of the memory to place the data in, raw 32 bits
     * @param sinkTo address to place the data at, u64
     * @param size u32
     * @param sourceStag key of the memory to read, raw 32 bits
     * @param sourceTo address to read from, u64
     */
    public static void put(ByteBuffer b, int at, int sinkStag, long sinkTo, long size, int sourceStag, long sourceTo) {
        b.putInt(at + SINK_STAG_OFFSET, sinkStag);
        b.putLong(at + SINK_TO_OFFSET, sinkTo);
        b.putInt(at + SIZE_OFFSET, (int) size);
        b.putInt(at + SOURCE_STAG_OFFSET, sourceStag);
        b.putLong(at + SOURCE_TO_OFFSET, sourceTo);
    }
}
