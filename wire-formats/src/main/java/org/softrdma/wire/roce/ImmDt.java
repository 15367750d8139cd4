// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * Immediate data, delivered in the receiver's completion.
 *
 * <pre>
 *  0 | immediate data (4) |
 * </pre>
 *
 * The four bytes travel unchanged: an application sees network order and converts by itself. Source: IBA vol 1 §9.3.6.
 */
public final class ImmDt {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** u32. */
    public static final int IMMEDIATE_OFFSET = 0;

    private ImmDt() {
    }

    /**
     * {@return the four bytes read as a big-endian number, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the ImmDt
     */
    public static int immediate(ByteBuffer b, int at) {
        return b.getInt(at + IMMEDIATE_OFFSET);
    }

    /**
     * Writes all 4 bytes, most significant first.
     *
     * @param b buffer, big-endian
     * @param at offset of the ImmDt
     * @param immediate the four bytes as a number, raw 32 bits
     */
    public static void put(ByteBuffer b, int at, int immediate) {
        b.putInt(at + IMMEDIATE_OFFSET, immediate);
    }
}
