// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * The frame around one DDP segment in the TCP stream.
 *
 * <pre>
 *  0   | ULPDU length (2) |
 *  2   | ULPDU: DDP header and payload |
 *  2+L | pad (0..3), zero: without markers the CRC stands at a multiple of 4 |
 *      | CRC (4), or nothing in particular where none is used |
 * </pre>
 *
 * Markers, where agreed, come in between and count for nothing here. Source: RFC 5044 §4.1, §4.2.
 */
public final class Fpdu {
    /** Bytes before the ULPDU. */
    public static final int HEADER_LENGTH = 2;
    /** Bytes of the CRC field. */
    public static final int CRC_LENGTH = 4;
    /** Most bytes of a ULPDU: the length field is a u16. */
    public static final int MAX_ULPDU = 65535;
    /** Most bytes of an FPDU without markers. */
    public static final int MAX_LENGTH = HEADER_LENGTH + MAX_ULPDU + 3 + CRC_LENGTH;

    private Fpdu() {
    }

    /**
     * {@return bytes of the ULPDU, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the FPDU
     */
    public static int ulpduLength(ByteBuffer b, int at) {
        return b.getShort(at) & 0xFFFF;
    }

    /**
     * Writes the length field.
     *
     * @param b buffer, big-endian
     * @param at offset of the FPDU
     * @param length bytes
     */
    public static void putUlpduLength(ByteBuffer b, int at, int length) {
        b.putShort(at, (short) length);
    }

    /**
     * {@return pad bytes behind a ULPDU, 0..3}
     *
     * @param ulpduLength bytes of the ULPDU, u16
     */
    public static int padLength(int ulpduLength) {
        return -(HEADER_LENGTH + ulpduLength) & 3;
    }

    /**
     * {@return bytes of the whole FPDU, without markers}
     *
     * @param ulpduLength bytes of the ULPDU, u16
     */
    public static int length(int ulpduLength) {
        return HEADER_LENGTH + ulpduLength + padLength(ulpduLength) + CRC_LENGTH;
    }

    /**
     * {@return the longest ULPDU that fits a TCP segment with everything around it}
     *
     * @param emss effective maximum segment size: payload bytes of a full TCP segment, at least 128
     * @param markers whether the stream has markers
     */
    public static int maxUlpdu(int emss, boolean markers) {
        int markerBytes = markers ? MpaMarker.LENGTH * ((emss + MpaMarker.INTERVAL - 1) / MpaMarker.INTERVAL) : 0;
        return Math.min(MAX_ULPDU, emss - (HEADER_LENGTH + CRC_LENGTH + markerBytes + emss % 4));
    }
}
