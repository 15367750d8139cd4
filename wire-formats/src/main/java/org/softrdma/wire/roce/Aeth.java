// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * ACK Extended Transport Header: how a request fared.
 *
 * <pre>
 *  0 | syndrome (1) | MSN (3) |
 * </pre>
 *
 * Source: IBA vol 1 §9.3.5; {@link Syndrome} reads the first byte.
 */
public final class Aeth {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** u8. */
    public static final int SYNDROME_OFFSET = 0;
    /** u24. */
    public static final int MSN_OFFSET = 1;

    private Aeth() {
    }

    /**
     * {@return ACK, RNR NAK or NAK with its value, u8; see {@link Syndrome}}
     *
     * @param b buffer, big-endian
     * @param at offset of the AETH
     */
    public static int syndrome(ByteBuffer b, int at) {
        return b.get(at + SYNDROME_OFFSET) & 0xFF;
    }

    /**
     * {@return message sequence number: messages the responder has completed, modulo 2^24}
     *
     * @param b buffer, big-endian
     * @param at offset of the AETH
     */
    public static int msn(ByteBuffer b, int at) {
        return b.getInt(at) & 0xFFFFFF;
    }

    /**
     * Writes all 4 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the AETH
     * @param syndrome u8
     * @param msn u24
     */
    public static void put(ByteBuffer b, int at, int syndrome, int msn) {
        b.putInt(at, syndrome << 24 | msn & 0xFFFFFF);
    }
}
