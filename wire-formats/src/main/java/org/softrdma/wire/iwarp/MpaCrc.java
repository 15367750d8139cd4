// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The CRC32C of an FPDU, over everything before the CRC field: length, ULPDU, pad as it is, markers. One thread's; allocates nothing once
 * made. Source: RFC 5044 §4.4; byte order as in RFC 3720 §12.1.
 */
public final class MpaCrc {
    private final CRC32C crc = new CRC32C();

    /** Creates a calculation, for one thread at a time. */
    public MpaCrc() {
    }

    /**
     * {@return the CRC over [from, to) as a number, for {@link #put}; position and limit stay as they are}
     *
     * @param b buffer
     * @param from offset of the first byte
     * @param to offset after the last byte
     */
    public int of(ByteBuffer b, int from, int to) {
        reset();
        update(b, from, to);
        return value();
    }

    /** Begins the CRC of another FPDU. */
    public void reset() {
        crc.reset();
    }

    /**
     * Goes on over [from, to).
     *
     * @param b buffer, big-endian
     * @param from offset of the first byte
     * @param to offset after the last byte
     */
    public void update(ByteBuffer b, int from, int to) {
        int position = b.position();
        int limit = b.limit();
        b.limit(to).position(from);
        crc.update(b);
        b.limit(limit).position(position);
    }

    /** {@return the CRC of what came since {@link #reset}} */
    public int value() {
        return (int) crc.getValue();
    }

    /**
     * Stores a CRC, least significant byte first.
     *
     * @param b buffer, big-endian
     * @param at offset of the CRC
     * @param value the CRC as a number
     */
    public static void put(ByteBuffer b, int at, int value) {
        b.putInt(at, Integer.reverseBytes(value));
    }

    /**
     * Loads a CRC, least significant byte first.
     *
     * @param b buffer, big-endian
     * @param at offset of the CRC
     * @return the CRC as a number
     */
    public static int get(ByteBuffer b, int at) {
        return Integer.reverseBytes(b.getInt(at));
    }
}
