// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * Datagram Extended Transport Header: who sent a UD packet, and the key that lets it in.
 *
 * <pre>
 *  0 | Q_Key (4)                   |
 *  4 | reserved (1) | source QP (3) |
 * </pre>
 *
 * Source: IBA vol 1 §9.3.2.
 */
public final class Deth {
    /** Bytes. */
    public static final int LENGTH = 8;
    /** u32. */
    public static final int QKEY_OFFSET = 0;
    /** u24. */
    public static final int SOURCE_QP_OFFSET = 5;

    private Deth() {
    }

    /**
     * {@return the Q_Key, which must equal the receiving QP's, raw 32 bits; 0x80010000 for the GSI}
     *
     * @param b buffer, big-endian
     * @param at offset of the DETH
     */
    public static int qkey(ByteBuffer b, int at) {
        return b.getInt(at + QKEY_OFFSET);
    }

    /**
     * {@return queue pair to answer to, u24}
     *
     * @param b buffer, big-endian
     * @param at offset of the DETH
     */
    public static int sourceQp(ByteBuffer b, int at) {
        return b.getInt(at + SOURCE_QP_OFFSET - 1) & 0xFFFFFF;
    }

    /**
     * Writes all 8 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the DETH
     * @param qkey Q_Key, raw 32 bits
     * @param sourceQp u24
     */
    public static void put(ByteBuffer b, int at, int qkey, int sourceQp) {
        b.putInt(at + QKEY_OFFSET, qkey);
        b.putInt(at + SOURCE_QP_OFFSET - 1, sourceQp & 0xFFFFFF);
    }
}
