// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * Reliable Datagram Extended Transport Header, in every RD packet directly after the BTH.
 *
 * <pre>
 *  0 | reserved (1) | EE context (3) |
 * </pre>
 *
 * Known so that captures can be read; nobody implements RD. Source: IBA vol 1 §9.3.1.
 */
public final class Rdeth {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** u24. */
    public static final int EE_CONTEXT_OFFSET = 1;

    private Rdeth() {
    }

    /**
     * {@return end-to-end context at the destination, u24}
     *
     * @param b buffer, big-endian
     * @param at offset of the RDETH
     */
    public static int eeContext(ByteBuffer b, int at) {
        return b.getInt(at) & 0xFFFFFF;
    }

    /**
     * Writes all 4 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the RDETH
     * @param eeContext u24
     */
    public static void put(ByteBuffer b, int at, int eeContext) {
        b.putInt(at, eeContext & 0xFFFFFF);
    }
}
