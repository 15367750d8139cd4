// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import java.nio.ByteBuffer;

/**
 * 802.1Q tag after an {@link Ethernet} header whose type is 0x8100: tag control information, then the real ethertype.
 *
 * <pre>
 *  0 | PCP (3 bits) | DEI (1 bit) | VID (12 bits) |
 *  2 | ethertype (2)                              |
 * </pre>
 *
 * Source: IEEE 802.1Q §9.6.
 */
public final class Vlan {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** u16. */
    public static final int TCI_OFFSET = 0;
    /** u16. */
    public static final int TYPE_OFFSET = 2;

    private Vlan() {
    }

    /**
     * {@return priority code point, 0..7; RoCE maps its service level here}
     *
     * @param b buffer, big-endian
     * @param at offset of the VLAN tag
     */
    public static int priority(ByteBuffer b, int at) {
        return b.get(at + TCI_OFFSET) >>> 5 & 7;
    }

    /**
     * {@return DEI: may be dropped first}
     *
     * @param b buffer, big-endian
     * @param at offset of the VLAN tag
     */
    public static boolean dropEligible(ByteBuffer b, int at) {
        return (b.get(at + TCI_OFFSET) & 0x10) != 0;
    }

    /**
     * {@return VLAN number, 0..4095; 0 means priority only, 4095 is reserved}
     *
     * @param b buffer, big-endian
     * @param at offset of the VLAN tag
     */
    public static int vid(ByteBuffer b, int at) {
        return b.getShort(at + TCI_OFFSET) & 0xFFF;
    }

    /**
     * {@return ethertype after the tag, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the VLAN tag
     */
    public static int type(ByteBuffer b, int at) {
        return b.getShort(at + TYPE_OFFSET) & 0xFFFF;
    }

    /**
     * Writes all 4 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the VLAN tag
     * @param priority 0..7
     * @param dropEligible the bit DEI
     * @param vid 0..4095
     * @param type u16
     */
    public static void put(ByteBuffer b, int at, int priority, boolean dropEligible, int vid, int type) {
        b.putShort(at + TCI_OFFSET, (short) ((priority & 7) << 13 | (dropEligible ? 0x1000 : 0) | vid & 0xFFF));
        b.putShort(at + TYPE_OFFSET, (short) type);
    }
}
