// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * The 16 reserved bytes of a congestion notification packet, between its BTH (opcode 0x81, BECN set) and the ICRC.
 *
 * <pre>
 *  0 | reserved, zero (16) |
 * </pre>
 *
 * Source: IBA vol 1 annex A17 (RoCE v2) §A17.9.3; frame captured from a ConnectX-4.
 */
public final class Cnp {
    /** Bytes. */
    public static final int LENGTH = 16;
    /** 16 bytes, all of them. */
    public static final int RESERVED_OFFSET = 0;

    private Cnp() {
    }

    /**
     * {@return whether the 16 bytes are zero, as a sender shall make them; receivers need not care}
     *
     * @param b buffer, big-endian
     * @param at offset of the 16 bytes
     */
    public static boolean isZero(ByteBuffer b, int at) {
        return (b.getLong(at) | b.getLong(at + 8)) == 0;
    }

    /**
     * Writes the 16 zero bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the 16 bytes
     */
    public static void put(ByteBuffer b, int at) {
        b.putLong(at, 0);
        b.putLong(at + 8, 0);
    }

    /**
     * Writes a whole CNP but its ICRC: BTH with BECN set and PSN 0, then 16 zero bytes.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param pkey P_Key, u16
     * @param destQp QP whose sender shall slow down, u24
     * @return offset of the ICRC
     */
    public static int putPacket(ByteBuffer b, int bthAt, int pkey, int destQp) {
        Bth.put(b, bthAt, Opcode.CNP, false, 0, pkey, destQp, false, 0);
        Bth.setBecn(b, bthAt, true);
        put(b, bthAt + Bth.LENGTH);
        return bthAt + Bth.LENGTH + LENGTH;
    }
}
