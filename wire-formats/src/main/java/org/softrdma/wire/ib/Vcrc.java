// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;

/**
 * The variant CRC, last two bytes of every packet on an InfiniBand link: CRC-16 (x^16 + x^12 + x^3 + x + 1) over everything from the LRH to
 * the ICRC, so each switch that changes a field computes it anew. Source: IBA vol 1 §7.8.2.
 */
public final class Vcrc {
    /** Bytes. */
    public static final int LENGTH = 2;
    /** The polynomial with bit 0 as x^15. */
    private static final int POLYNOMIAL = 0xD008;
    private static final int[] TABLE = new int[256];

    static {
        for (int i = 0; i < TABLE.length; i++) {
            int crc = i;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >>> 1 ^ POLYNOMIAL & -(crc & 1);
            }
            TABLE[i] = crc;
        }
    }

    private Vcrc() {
    }

    /**
     * Computes the CRC of a packet.
     *
     * @param b buffer, big-endian
     * @param from offset of the LRH
     * @param end after the ICRC
     * @return u16, for {@link #put}
     */
    public static int of(ByteBuffer b, int from, int end) {
        int crc = 0xFFFF;
        for (int i = from; i < end; i++) {
            crc = crc >>> 8 ^ TABLE[(crc ^ b.get(i)) & 0xFF];
        }
        return ~crc & 0xFFFF;
    }

    /**
     * Stores a VCRC, least significant byte first.
     *
     * @param b buffer, big-endian
     * @param at offset of the CRC
     * @param crc the CRC as a number
     */
    public static void put(ByteBuffer b, int at, int crc) {
        b.putShort(at, Short.reverseBytes((short) crc));
    }

    /**
     * Loads a VCRC, least significant byte first.
     *
     * @param b buffer, big-endian
     * @param at offset of the CRC
     * @return the CRC as a number, u16
     */
    public static int get(ByteBuffer b, int at) {
        return Short.reverseBytes(b.getShort(at)) & 0xFFFF;
    }
}
