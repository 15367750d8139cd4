// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * MulticastForwardingTable: for 32 multicast LIDs, which of 16 ports are members. The modifier is the block's number in bits 8:0 and the
 * position, which 16 ports are meant, in bits 31:28. Source: IBA vol 1 §14.2.5.12.
 */
public final class MulticastForwardingBlock {
    /** LIDs in a block. */
    public static final int ENTRIES = 32;
    /** Ports in a position. */
    public static final int PORTS = 16;
    /** Positions for 255 ports. */
    public static final int POSITIONS = 16;
    /** Greatest number of a block. */
    public static final int LAST_BLOCK = (Lrh.LAST_MULTICAST_LID - Lrh.FIRST_MULTICAST_LID) / ENTRIES;

    private static final int BLOCK_BITS = 0x1FF;
    private static final int POSITION_SHIFT = 28;

    private MulticastForwardingBlock() {
    }

    /**
     * {@return modifier of a block}
     *
     * @param block number of the block, from 0
     * @param position number of the group of 16 ports, from 0
     */
    public static int modifier(int block, int position) {
        return position << POSITION_SHIFT | block;
    }

    /**
     * {@return number of the block in a modifier}
     *
     * @param modifier AttributeModifier, raw 32 bits
     */
    public static int block(int modifier) {
        return modifier & BLOCK_BITS;
    }

    /**
     * {@return position in a modifier}
     *
     * @param modifier AttributeModifier, raw 32 bits
     */
    public static int position(int modifier) {
        return modifier >>> POSITION_SHIFT;
    }

    /**
     * {@return ports of the block's {@code index}th LID, u16: bit 0 for the first port of the position}
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     */
    public static int get(ByteBuffer b, int at, int index) {
        return b.getShort(at + Short.BYTES * index) & 0xFFFF;
    }

    /**
     * {@return an entry of a block, u16: bit 0 for the first port of the position}
     *
     * @param ports all ports of a LID, by number
     * @param position number of the group of 16 ports, from 0
     */
    public static int bits(BitSet ports, int position) {
        long[] bits = ports.get(position * PORTS, (position + 1) * PORTS).toLongArray();
        return bits.length == 0 ? 0 : (int) bits[0];
    }

    /**
     * Writes the ports of a LID.
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     * @param ports bit mask of ports, u16
     */
    public static void set(ByteBuffer b, int at, int index, int ports) {
        b.putShort(at + Short.BYTES * index, (short) ports);
    }
}
