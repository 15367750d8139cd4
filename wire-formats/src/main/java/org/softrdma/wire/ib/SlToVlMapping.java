// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;

/**
 * SLtoVLMappingTable: the virtual lane of each service level. On a switch there is one for each pair of ports; the modifier is the input
 * port in bits 15:8 and the output port in bits 7:0. Source: IBA vol 1 §14.2.5.8.
 */
public final class SlToVlMapping {
    /** Service levels. */
    public static final int ENTRIES = 16;
    /** Bytes. */
    public static final int LENGTH = ENTRIES / 2;
    /** Virtual lane of packets that are to be dropped. */
    public static final int DROP = 15;

    private SlToVlMapping() {
    }

    /**
     * {@return virtual lane of a service level, 4 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param sl service level, 0..15
     */
    public static int get(ByteBuffer b, int at, int sl) {
        int both = b.get(at + sl / 2);
        return (sl & 1) == 0 ? both >>> 4 & 0xF : both & 0xF;
    }

    /**
     * Writes the virtual lane of a service level.
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param sl service level, 0..15
     * @param vl virtual lane, 4 bits
     */
    public static void set(ByteBuffer b, int at, int sl, int vl) {
        int shift = (sl & 1) == 0 ? 4 : 0;
        int both = b.get(at + sl / 2) & ~(0xF << shift) | (vl & 0xF) << shift;
        b.put(at + sl / 2, (byte) both);
    }
}
