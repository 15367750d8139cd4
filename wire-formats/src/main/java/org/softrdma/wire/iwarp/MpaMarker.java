// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * A marker: stands in the TCP stream at every 512th byte, counted from the first byte after the start-up frame, and says how far back the
 * FPDU began. One that stands directly before an FPDU says 0 and belongs to that FPDU; all are covered by the CRC of theirs.
 *
 * <pre>
 *  0 | reserved (2) |
 *  2 | FPDU pointer (2) |
 * </pre>
 *
 * Source: RFC 5044 §4.3.
 */
public final class MpaMarker {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** From the first byte of one to the first byte of the next. */
    public static final int INTERVAL = 512;
    /** u16. */
    public static final int FPDU_POINTER_OFFSET = 2;

    private MpaMarker() {
    }

    /**
     * {@return stream bytes from the FPDU's length field to this marker, markers in between included, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the marker
     */
    public static int fpduPointer(ByteBuffer b, int at) {
        return b.getShort(at + FPDU_POINTER_OFFSET) & 0xFFFF;
    }

    /**
     * Writes all 4 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the marker
     * @param fpduPointer stream bytes since the FPDU's length field, u16
     */
    public static void put(ByteBuffer b, int at, int fpduPointer) {
        b.putInt(at, fpduPointer & 0xFFFF);
    }
}
