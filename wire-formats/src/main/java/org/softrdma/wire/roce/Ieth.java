// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * Invalidate Extended Transport Header: the memory window or region the receiver shall close.
 *
 * <pre>
 *  0 | R_Key (4) |
 * </pre>
 *
 * Source: IBA vol 1 §9.3.7.
 */
public final class Ieth {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** u32. */
    public static final int RKEY_OFFSET = 0;

    private Ieth() {
    }

    /**
     * {@return key to invalidate, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the IETH
     */
    public static int rkey(ByteBuffer b, int at) {
        return b.getInt(at + RKEY_OFFSET);
    }

    /**
     * Writes all 4 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the IETH
     * @param rkey remote key, raw 32 bits
     */
    public static void put(ByteBuffer b, int at, int rkey) {
        b.putInt(at + RKEY_OFFSET, rkey);
    }
}
