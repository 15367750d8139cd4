// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import java.nio.ByteBuffer;

/**
 * IPv6 header. RoCE v2 uses it without extension headers.
 *
 * <pre>
 *  0 | version (4 bits) | traffic class (8 bits) | flow label (20 bits) |
 *  4 | payload length (2) | next header (1) | hop limit (1) |
 *  8 | source (16)      |
 * 24 | destination (16) |
 * </pre>
 *
 * In the ICRC, traffic class, flow label and hop limit are all-ones. Source: RFC 8200 §3.
 */
public final class Ipv6 {
    /** Bytes. */
    public static final int LENGTH = 40;
    /** u32: version bits 31:28, traffic class bits 27:20, flow label bits 19:0. */
    public static final int VERSION_CLASS_FLOW_OFFSET = 0;
    /** u16. */
    public static final int PAYLOAD_LENGTH_OFFSET = 4;
    /** u8. */
    public static final int NEXT_HEADER_OFFSET = 6;
    /** u8. */
    public static final int HOP_LIMIT_OFFSET = 7;
    /** u128. */
    public static final int SOURCE_OFFSET = 8;
    /** u128. */
    public static final int DESTINATION_OFFSET = 24;

    private Ipv6() {
    }

    /**
     * {@return 6 in a valid header}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static int version(ByteBuffer b, int at) {
        return b.get(at) >>> 4 & 0xF;
    }

    /**
     * {@return traffic class: DSCP in bits 7:2, ECN in bits 1:0}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static int trafficClass(ByteBuffer b, int at) {
        return b.getInt(at) >>> 20 & 0xFF;
    }

    /**
     * {@return flow label, 20 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static int flowLabel(ByteBuffer b, int at) {
        return b.getInt(at) & 0xFFFFF;
    }

    /**
     * {@return bytes after this header, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static int payloadLength(ByteBuffer b, int at) {
        return b.getShort(at + PAYLOAD_LENGTH_OFFSET) & 0xFFFF;
    }

    /**
     * {@return next header, u8; {@link Ipv4#PROTOCOL_UDP}}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static int nextHeader(ByteBuffer b, int at) {
        return b.get(at + NEXT_HEADER_OFFSET) & 0xFF;
    }

    /**
     * {@return hops left, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static int hopLimit(ByteBuffer b, int at) {
        return b.get(at + HOP_LIMIT_OFFSET) & 0xFF;
    }

    /**
     * {@return first 64 bits of the sender}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static long sourceHigh(ByteBuffer b, int at) {
        return b.getLong(at + SOURCE_OFFSET);
    }

    /**
     * {@return last 64 bits of the sender}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static long sourceLow(ByteBuffer b, int at) {
        return b.getLong(at + SOURCE_OFFSET + 8);
    }

    /**
     * {@return first 64 bits of the receiver}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static long destinationHigh(ByteBuffer b, int at) {
        return b.getLong(at + DESTINATION_OFFSET);
    }

    /**
     * {@return last 64 bits of the receiver}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     */
    public static long destinationLow(ByteBuffer b, int at) {
        return b.getLong(at + DESTINATION_OFFSET + 8);
    }

    /**
     * Writes all 40 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     * @param trafficClass u8
     * @param flowLabel 20 bits
     * @param payloadLength bytes after this header, u16
     * @param nextHeader number of the next header, u8
     * @param hopLimit hops left, u8
     * @param sourceHigh first 64 bits of the sender's address
     * @param sourceLow last 64 bits of the sender's address
     * @param destinationHigh first 64 bits of the receiver's address
     * @param destinationLow last 64 bits of the receiver's address
     */
    public static void put(ByteBuffer b, int at, int trafficClass, int flowLabel, int payloadLength, int nextHeader, int hopLimit,
            long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
        b.putInt(at, 6 << 28 | (trafficClass & 0xFF) << 20 | flowLabel & 0xFFFFF);
        b.putInt(at + PAYLOAD_LENGTH_OFFSET, payloadLength << 16 | (nextHeader & 0xFF) << 8 | hopLimit & 0xFF);
        b.putLong(at + SOURCE_OFFSET, sourceHigh);
        b.putLong(at + SOURCE_OFFSET + 8, sourceLow);
        b.putLong(at + DESTINATION_OFFSET, destinationHigh);
        b.putLong(at + DESTINATION_OFFSET + 8, destinationLow);
    }

    /**
     * {@return whether version and payload length make sense}
     *
     * @param b buffer, big-endian
     * @param at offset of the IPv6 header
     * @param available bytes in the buffer from {@code at}; may be more than the packet (Ethernet padding)
     */
    public static boolean isValid(ByteBuffer b, int at, int available) {
        return available >= LENGTH && version(b, at) == 6 && LENGTH + payloadLength(b, at) <= available;
    }
}
