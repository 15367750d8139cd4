// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * XRC Extended Transport Header, in every XRC request directly after the BTH.
 *
 * <pre>
 *  0 | reserved (1) | XRC SRQ number (3) |
 * </pre>
 *
 * Source: IBA vol 1 annex A14; rxe 6.1 does not speak XRC.
 */
public final class Xrceth {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** u24. */
    public static final int SRQN_OFFSET = 1;

    private Xrceth() {
    }

    /**
     * {@return shared receive queue the message is for, u24}
     *
     * @param b buffer, big-endian
     * @param at offset of the XRCETH
     */
    public static int srqn(ByteBuffer b, int at) {
        return b.getInt(at) & 0xFFFFFF;
    }

    /**
     * Writes all 4 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the XRCETH
     * @param srqn u24
     */
    public static void put(ByteBuffer b, int at, int srqn) {
        b.putInt(at, srqn & 0xFFFFFF);
    }
}
