// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;

/**
 * P_KeyTable: 32 P_Keys of a port. The modifier is the block's number in the low 16 bits and, on a switch, the port in the high ones.
 * Source: IBA vol 1 §14.2.5.7.
 */
public final class PKeyBlock {
    /** P_Keys in a block. */
    public static final int ENTRIES = 32;
    /** Bit of a full member. */
    public static final int FULL_MEMBER = 0x8000;
    /** Bits of the partition. */
    public static final int PARTITION = 0x7FFF;
    /** P_Key of full members of the default partition. */
    public static final int DEFAULT = 0xFFFF;

    private PKeyBlock() {
    }

    /**
     * {@return P_Key at {@code index} of the block at {@code at}, u16; 0 for none}
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     */
    public static int get(ByteBuffer b, int at, int index) {
        return b.getShort(at + Short.BYTES * index) & 0xFFFF;
    }

    /**
     * Writes a P_Key.
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     * @param pkey P_Key, u16
     */
    public static void set(ByteBuffer b, int at, int index, int pkey) {
        b.putShort(at + Short.BYTES * index, (short) pkey);
    }

    /**
     * {@return whether ports with these two P_Keys can communicate: the same partition, and at least one of them is a full member} IBA
     * §10.9.3
     *
     * @param first P_Key, u16
     * @param second P_Key, u16
     */
    public static boolean match(int first, int second) {
        return ((first ^ second) & PARTITION) == 0 && (first & PARTITION) != 0 && ((first | second) & FULL_MEMBER) != 0;
    }
}
