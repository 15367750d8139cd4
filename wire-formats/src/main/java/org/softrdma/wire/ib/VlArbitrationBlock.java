// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;

/**
 * VLArbitrationTable: 32 pairs of virtual lane and weight. The modifier is the half of a table in its high 16 bits, 1 and 2 for the low
 * priority's and 3 and 4 for the high priority's, and the port in its low ones. Source: IBA vol 1 §14.2.5.9.
 */
public final class VlArbitrationBlock {
    /** Pairs in a block. */
    public static final int ENTRIES = 32;
    /** Blocks of a port. */
    public static final int BLOCKS = 4;

    private VlArbitrationBlock() {
    }

    /**
     * {@return virtual lane of a pair, 4 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     */
    public static int vl(ByteBuffer b, int at, int index) {
        return b.get(at + 2 * index) & 0xF;
    }

    /**
     * {@return weight of a pair in units of 64 bytes, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     */
    public static int weight(ByteBuffer b, int at, int index) {
        return b.get(at + 2 * index + 1) & 0xFF;
    }

    /**
     * Writes a pair.
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     * @param vl virtual lane, 4 bits
     * @param weight weight in units of 64 bytes, u8
     */
    public static void set(ByteBuffer b, int at, int index, int vl, int weight) {
        b.put(at + 2 * index, (byte) (vl & 0xF));
        b.put(at + 2 * index + 1, (byte) weight);
    }
}
