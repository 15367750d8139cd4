// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.pcap;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes captures that Wireshark and tcpdump read: big-endian pcapng blocks with nanosecond timestamps.
 *
 * <pre>
 *  Section Header | Interface Description, one per interface | Enhanced Packet …
 *
 *  every block: type (4) | total length (4) | body, padded to 4 | total length (4)
 * </pre>
 *
 * Each emitter writes one block at {@code at} and returns the offset after it. Source: draft-ietf-opsawg-pcapng.
 */
public final class Pcapng {
    /** Link type: Ethernet frames without FCS. */
    public static final int LINK_ETHERNET = 1;
    /** Link type: packets that start with an IPv4 or IPv6 header. */
    public static final int LINK_RAW_IP = 101;
    /** Link type of packets that are records of {@link Erf}. */
    public static final int LINK_ERF = 197;
    /** Bytes {@link #putSectionHeader} writes. */
    public static final int SECTION_HEADER_LENGTH = 28;
    /** Bytes {@link #putPacket} adds around a packet and its padding. */
    public static final int PACKET_OVERHEAD = 32;

    static final int SECTION_HEADER = 0x0A0D_0D0A;
    static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
    static final int INTERFACE_DESCRIPTION = 1;
    static final int SIMPLE_PACKET = 3;
    static final int ENHANCED_PACKET = 6;
    static final int OPTION_END = 0;
    static final int OPTION_COMMENT = 1;
    static final int OPTION_IF_NAME = 2;
    static final int OPTION_EPB_FLAGS = 2;
    static final int OPTION_IF_TSRESOL = 9;
    static final int OPTION_IF_TSOFFSET = 14;

    /** Direction of a packet: received. */
    public static final int INBOUND = 1;
    /** Direction of a packet: sent. */
    public static final int OUTBOUND = 2;
    /** Longest comment, bytes in UTF-8. */
    public static final int MAX_COMMENT = 0xFFFF;

    private static final int NANOSECONDS = 9;

    private Pcapng() {
    }

    /**
     * Starts a section, so a file: version 1.0, length unknown. 28 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the block
     * @return offset after the block
     */
    public static int putSectionHeader(ByteBuffer b, int at) {
        int end = start(b, at, SECTION_HEADER, SECTION_HEADER_LENGTH);
        b.putInt(at + 8, BYTE_ORDER_MAGIC);
        b.putShort(at + 12, (short) 1);
        b.putShort(at + 14, (short) 0);
        b.putLong(at + 16, -1L);
        return end;
    }

    /**
     * Describes the next interface of the section, numbered from 0, with nanosecond timestamps (if_tsresol 9). Allocates.
     *
     * @param b buffer, big-endian
     * @param at offset of the block
     * @param linkType one of the link types
     * @param snapLen most bytes kept of a packet, u32; 0 for no limit
     * @param name for people, up to 65535 bytes in UTF-8
     * @return offset after the block
     */
    public static int putInterface(ByteBuffer b, int at, int linkType, int snapLen, String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        int end = start(b, at, INTERFACE_DESCRIPTION, 20 + 4 + padded(text.length) + 8 + 4);
        b.putShort(at + 8, (short) linkType);
        b.putShort(at + 10, (short) 0);
        b.putInt(at + 12, snapLen);
        int option = at + 16;
        b.putInt(option, OPTION_IF_NAME << 16 | text.length);
        b.put(option + 4, text);
        zero(b, option + 4 + text.length, option + 4 + padded(text.length));
        option += 4 + padded(text.length);
        b.putInt(option, OPTION_IF_TSRESOL << 16 | 1);
        b.putInt(option + 4, NANOSECONDS << 24);
        b.putInt(option + 8, OPTION_END);
        return end;
    }

    /**
     * Writes one packet, kept whole. Allocates nothing.
     *
     * @param b buffer, big-endian
     * @param at offset of the block
     * @param interfaceId as numbered by {@link #putInterface}
     * @param timestampNs since 1970, u64
     * @param frame holds the packet; its position and limit stay as they are
     * @param offset of the packet in {@code frame}
     * @param length bytes of the packet
     * @return offset after the block
     */
    public static int putPacket(ByteBuffer b, int at, int interfaceId, long timestampNs, ByteBuffer frame, int offset, int length) {
        int end = start(b, at, ENHANCED_PACKET, packetBlockLength(length));
        b.putInt(at + 8, interfaceId);
        b.putLong(at + 12, timestampNs);
        b.putInt(at + 20, length);
        b.putInt(at + 24, length);
        b.put(at + 28, frame, offset, length);
        zero(b, at + 28 + length, at + 28 + padded(length));
        return end;
    }

    /**
     * Writes one packet with comments, of which the beginning is kept. Wireshark shows the comments beside the packet.
     *
     * @param b buffer, big-endian
     * @param at offset of the block
     * @param interfaceId as numbered by {@link #putInterface}
     * @param timestampNs since 1970, u64
     * @param frame holds the beginning of the packet; its position and limit stay as they are
     * @param offset of the packet in {@code frame}
     * @param length bytes that are kept
     * @param originalLength bytes of the packet, at least {@code length}
     * @param direction {@link #INBOUND} or {@link #OUTBOUND}
     * @param comments in UTF-8, at most {@link #MAX_COMMENT} bytes each
     * @return offset after the block
     */
    public static int putPacket(ByteBuffer b, int at, int interfaceId, long timestampNs, ByteBuffer frame, int offset, int length,
            int originalLength, int direction, List<byte[]> comments) {
        int end = start(b, at, ENHANCED_PACKET, packetBlockLength(length, comments));
        b.putInt(at + 8, interfaceId);
        b.putLong(at + 12, timestampNs);
        b.putInt(at + 20, length);
        b.putInt(at + 24, originalLength);
        b.put(at + 28, frame, offset, length);
        int option = at + 28 + padded(length);
        zero(b, at + 28 + length, option);
        for (byte[] comment : comments) {
            b.putInt(option, OPTION_COMMENT << 16 | comment.length);
            b.put(option + 4, comment);
            zero(b, option + 4 + comment.length, option + 4 + padded(comment.length));
            option += 4 + padded(comment.length);
        }
        b.putInt(option, OPTION_EPB_FLAGS << 16 | 4);
        b.putInt(option + 4, direction);
        b.putInt(option + 8, OPTION_END);
        return end;
    }

    /**
     * {@return bytes {@link #putPacket} writes for a packet of this length with comments}
     *
     * @param length bytes of the packet
     * @param comments the comments, each in UTF-8
     */
    public static int packetBlockLength(int length, List<byte[]> comments) {
        int bytes = packetBlockLength(length) + 8 + 4;
        for (byte[] comment : comments) {
            bytes += 4 + padded(comment.length);
        }
        return bytes;
    }

    /**
     * {@return bytes {@link #putPacket} writes for a packet of this length}
     *
     * @param length bytes of the packet
     */
    public static int packetBlockLength(int length) {
        return PACKET_OVERHEAD + padded(length);
    }

    static int padded(int length) {
        return length + 3 & ~3;
    }

    private static int start(ByteBuffer b, int at, int type, int length) {
        b.putInt(at, type);
        b.putInt(at + 4, length);
        b.putInt(at + length - 4, length);
        return at + length;
    }

    private static void zero(ByteBuffer b, int from, int to) {
        for (int i = from; i < to; i++) {
            b.put(i, (byte) 0);
        }
    }
}
