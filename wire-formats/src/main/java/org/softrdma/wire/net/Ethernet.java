// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import java.nio.ByteBuffer;

/**
 * Ethernet II header, without preamble and FCS.
 *
 * <pre>
 *  0 | destination MAC (6) |
 *  6 | source MAC (6)      |
 * 12 | ethertype (2)       |
 * </pre>
 *
 * MAC addresses are u48 in a long, first byte most significant. If the ethertype is a VLAN one, a {@link Vlan} follows at 14.
 */
public final class Ethernet {
    /** Bytes. */
    public static final int LENGTH = 14;
    /** u48. */
    public static final int DESTINATION_OFFSET = 0;
    /** u48. */
    public static final int SOURCE_OFFSET = 6;
    /** u16. */
    public static final int TYPE_OFFSET = 12;
    /** Shortest frame without FCS; senders pad with zeros up to it. */
    public static final int MIN_FRAME_LENGTH = 60;
    /** Ethertype of IPv4. */
    public static final int TYPE_IPV4 = 0x0800;
    /** Ethertype of IPv6. */
    public static final int TYPE_IPV6 = 0x86DD;
    /** Ethertype of RoCE v1: a GRH follows. */
    public static final int TYPE_ROCE_V1 = 0x8915;
    /** Ethertype of an 802.1Q tag. */
    public static final int TYPE_VLAN = 0x8100;
    /** Ethertype of an outer 802.1ad tag. */
    public static final int TYPE_SERVICE_VLAN = 0x88A8;

    private Ethernet() {
    }

    /**
     * {@return receiver, u48}
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     */
    public static long destination(ByteBuffer b, int at) {
        return (b.getInt(at) & 0xFFFF_FFFFL) << 16 | b.getShort(at + 4) & 0xFFFFL;
    }

    /**
     * {@return sender, u48}
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     */
    public static long source(ByteBuffer b, int at) {
        return (b.getShort(at + SOURCE_OFFSET) & 0xFFFFL) << 32 | b.getInt(at + SOURCE_OFFSET + 2) & 0xFFFF_FFFFL;
    }

    /**
     * {@return ethertype, u16; values up to 1500 are 802.3 lengths, never ours}
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     */
    public static int type(ByteBuffer b, int at) {
        return b.getShort(at + TYPE_OFFSET) & 0xFFFF;
    }

    /**
     * Writes all 14 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     * @param destination u48
     * @param source u48
     * @param type u16
     */
    public static void put(ByteBuffer b, int at, long destination, long source, int type) {
        b.putLong(at + DESTINATION_OFFSET, destination << 16 | source >>> 32 & 0xFFFF);
        b.putInt(at + SOURCE_OFFSET + 2, (int) source);
        b.putShort(at + TYPE_OFFSET, (short) type);
    }

    /**
     * {@return MAC of an IPv4 multicast group: 01:00:5e and the group's low 23 bits (RFC 1112 §6.4)}
     *
     * @param group IPv4 address of the group, raw 32 bits
     */
    public static long multicastOfIpv4(int group) {
        return 0x0100_5E00_0000L | group & 0x7F_FFFF;
    }

    /**
     * {@return MAC of an IPv6 multicast group or a RoCE v1 MGID: 33:33 and the low 32 bits (RFC 2464 §7)}
     *
     * @param groupLow low half of the group address
     */
    public static long multicastOfIpv6(long groupLow) {
        return 0x3333_0000_0000L | groupLow & 0xFFFF_FFFFL;
    }
}
