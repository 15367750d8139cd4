// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import java.nio.ByteBuffer;

/**
 * IPv4 header. RoCE v2 uses it without options.
 *
 * <pre>
 *  0 | version (4 bits) | IHL (4 bits) | TOS (1) | total length (2) |
 *  4 | identification (2)              | 0 DF MF | fragment offset (13 bits) |
 *  8 | TTL (1) | protocol (1)          | header checksum (2) |
 * 12 | source (4)      |
 * 16 | destination (4) |
 * </pre>
 *
 * In the ICRC, TOS, TTL and checksum are all-ones; identification and DF are covered as they are. Source: RFC 791 §3.1.
 */
public final class Ipv4 {
    /** Bytes, without options. */
    public static final int LENGTH = 20;
    /** u8: version bits 7:4, header length in words bits 3:0. */
    public static final int VERSION_IHL_OFFSET = 0;
    /** u8. */
    public static final int TOS_OFFSET = 1;
    /** u16. */
    public static final int TOTAL_LENGTH_OFFSET = 2;
    /** u16. */
    public static final int ID_OFFSET = 4;
    /** u16: reserved bit 15, DF bit 14, MF bit 13, offset bits 12:0. */
    public static final int FRAGMENT_OFFSET = 6;
    /** u8. */
    public static final int TTL_OFFSET = 8;
    /** u8. */
    public static final int PROTOCOL_OFFSET = 9;
    /** u16. */
    public static final int CHECKSUM_OFFSET = 10;
    /** u32. */
    public static final int SOURCE_OFFSET = 12;
    /** u32. */
    public static final int DESTINATION_OFFSET = 16;
    /** Protocol number of UDP, also IPv6's next-header number. */
    public static final int PROTOCOL_UDP = 17;
    /** DF in the flags word. */
    public static final int DF = 0x4000;

    private static final int MF = 0x2000;

    private Ipv4() {
    }

    /**
     * {@return 4 in a valid header}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int version(ByteBuffer b, int at) {
        return b.get(at + VERSION_IHL_OFFSET) >>> 4 & 0xF;
    }

    /**
     * {@return bytes of the header with its options, 0..60; at least 20 in a valid header}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int headerLength(ByteBuffer b, int at) {
        return (b.get(at + VERSION_IHL_OFFSET) & 0xF) << 2;
    }

    /**
     * {@return type of service: DSCP in bits 7:2, ECN in bits 1:0}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int tos(ByteBuffer b, int at) {
        return b.get(at + TOS_OFFSET) & 0xFF;
    }

    /**
     * {@return bytes of header and data, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int totalLength(ByteBuffer b, int at) {
        return b.getShort(at + TOTAL_LENGTH_OFFSET) & 0xFFFF;
    }

    /**
     * {@return identification, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int id(ByteBuffer b, int at) {
        return b.getShort(at + ID_OFFSET) & 0xFFFF;
    }

    /**
     * {@return DF: routers shall not fragment}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static boolean dontFragment(ByteBuffer b, int at) {
        return (b.getShort(at + FRAGMENT_OFFSET) & DF) != 0;
    }

    /**
     * {@return whether this is a piece of a larger datagram: MF set or fragment offset not zero}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static boolean isFragment(ByteBuffer b, int at) {
        return (b.getShort(at + FRAGMENT_OFFSET) & (MF | 0x1FFF)) != 0;
    }

    /**
     * {@return hops left, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int ttl(ByteBuffer b, int at) {
        return b.get(at + TTL_OFFSET) & 0xFF;
    }

    /**
     * {@return protocol of the payload, u8; {@link #PROTOCOL_UDP}}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int protocol(ByteBuffer b, int at) {
        return b.get(at + PROTOCOL_OFFSET) & 0xFF;
    }

    /**
     * {@return the checksum field as it stands, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int checksum(ByteBuffer b, int at) {
        return b.getShort(at + CHECKSUM_OFFSET) & 0xFFFF;
    }

    /**
     * {@return sender, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int source(ByteBuffer b, int at) {
        return b.getInt(at + SOURCE_OFFSET);
    }

    /**
     * {@return receiver, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int destination(ByteBuffer b, int at) {
        return b.getInt(at + DESTINATION_OFFSET);
    }

    /**
     * Writes all 20 bytes with a correct checksum: version 4, no options, not a fragment.
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     * @param tos type of service, u8
     * @param totalLength bytes of this header and all that follows, u16
     * @param id u16; a UDP socket that may not fragment sends 0
     * @param dontFragment the bit DF
     * @param ttl hops left, u8
     * @param protocol protocol of the payload, u8
     * @param source sender, raw 32 bits
     * @param destination receiver, raw 32 bits
     */
    public static void put(ByteBuffer b, int at, int tos, int totalLength, int id, boolean dontFragment, int ttl, int protocol, int source,
            int destination) {
        b.putInt(at, 0x45 << 24 | (tos & 0xFF) << 16 | totalLength & 0xFFFF);
        b.putInt(at + ID_OFFSET, id << 16 | (dontFragment ? DF : 0));
        b.putInt(at + TTL_OFFSET, ttl << 24 | (protocol & 0xFF) << 16);
        b.putInt(at + SOURCE_OFFSET, source);
        b.putInt(at + DESTINATION_OFFSET, destination);
        b.putShort(at + CHECKSUM_OFFSET, (short) computeChecksum(b, at));
    }

    /**
     * {@return the checksum this header should have, whatever its field says; options included, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static int computeChecksum(ByteBuffer b, int at) {
        return ~sum(b, at, checksum(b, at) ^ 0xFFFF) & 0xFFFF;
    }

    /**
     * {@return whether the header's words, checksum included, add up}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     */
    public static boolean isChecksumValid(ByteBuffer b, int at) {
        return sum(b, at, 0) == 0xFFFF;
    }

    /**
     * {@return whether version, header length and total length make sense together} Checksum and fragments are separate questions.
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv4 header
     * @param available bytes in the buffer from {@code at}; may be more than the packet (Ethernet padding)
     */
    public static boolean isValid(ByteBuffer b, int at, int available) {
        return available >= LENGTH
            && version(b, at) == 4
            && headerLength(b, at) >= LENGTH
            && totalLength(b, at) >= headerLength(b, at)
            && totalLength(b, at) <= available;
    }

    /** Ones' complement sum of the header words and {@code more}, folded to 16 bits. */
    private static int sum(ByteBuffer b, int at, int more) {
        int sum = more;
        for (int i = at, end = at + headerLength(b, at); i < end; i += 2) {
            sum += b.getShort(i) & 0xFFFF;
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        return (sum & 0xFFFF) + (sum >>> 16);
    }
}
