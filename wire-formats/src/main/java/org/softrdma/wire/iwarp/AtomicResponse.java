// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * Header of an atomic response, after the untagged header.
 *
 * <pre>
 *  0 | original request identifier (4) |
 *  4 | original remote data (8) |
 * </pre>
 *
 * Source: RFC 7306 §5.3.
 */
public final class AtomicResponse {
    /** Bytes. */
    public static final int LENGTH = 12;
    /** u64. */
    public static final int ORIGINAL_OFFSET = 4;

    private AtomicResponse() {
    }

    /**
     * {@return the number of the request, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int requestId(ByteBuffer b, int at) {
        return b.getInt(at);
    }

    /**
     * {@return original value, raw 64 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static long original(ByteBuffer b, int at) {
        return b.getLong(at + ORIGINAL_OFFSET);
    }

    /**
     * Writes all 12 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     * @param requestId number that the response repeats, raw 32 bits
     * @param original value before the change, u64
     */
    public static void put(ByteBuffer b, int at, int requestId, long original) {
        b.putInt(at, requestId);
        b.putLong(at + ORIGINAL_OFFSET, original);
    }
}
