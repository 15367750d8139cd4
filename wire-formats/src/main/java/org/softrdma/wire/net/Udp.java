// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import java.nio.ByteBuffer;

/**
 * UDP header.
 *
 * <pre>
 *  0 | source port (2) | destination port (2) |
 *  4 | length (2)      | checksum (2)         |
 * </pre>
 *
 * In the ICRC the checksum is all-ones, so 0 and a correct one both work. Source: RFC 768; IBA vol 1 annex A17 §A17.3.2.
 */
public final class Udp {
    /** Bytes. */
    public static final int LENGTH = 8;
    /** u16. */
    public static final int SOURCE_PORT_OFFSET = 0;
    /** u16. */
    public static final int DESTINATION_PORT_OFFSET = 2;
    /** u16. */
    public static final int LENGTH_OFFSET = 4;
    /** u16. */
    public static final int CHECKSUM_OFFSET = 6;
    /** IANA port of RoCE v2. */
    public static final int DEST_PORT_ROCE = 4791;

    private Udp() {
    }

    /**
     * {@return source port, u16; RoCE senders choose one per queue pair, usually 0xC000..0xFFFF, and receivers do not check it}
     *
     * @param b buffer, big-endian
     * @param at offset of the UDP header
     */
    public static int sourcePort(ByteBuffer b, int at) {
        return b.getShort(at + SOURCE_PORT_OFFSET) & 0xFFFF;
    }

    /**
     * {@return destination port, u16; {@link #DEST_PORT_ROCE}}
     *
     * @param b buffer, big-endian
     * @param at offset of the UDP header
     */
    public static int destinationPort(ByteBuffer b, int at) {
        return b.getShort(at + DESTINATION_PORT_OFFSET) & 0xFFFF;
    }

    /**
     * {@return bytes of this header and all that follows, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the UDP header
     */
    public static int length(ByteBuffer b, int at) {
        return b.getShort(at + LENGTH_OFFSET) & 0xFFFF;
    }

    /**
     * {@return the field as it stands, u16; 0 means none (RFC 768; over IPv6 only as RFC 6935 permits). rxe sends 0 over both}
     *
     * @param b buffer, big-endian
     * @param at offset of the UDP header
     */
    public static int checksum(ByteBuffer b, int at) {
        return b.getShort(at + CHECKSUM_OFFSET) & 0xFFFF;
    }

    /**
     * Writes all 8 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the UDP header
     * @param sourcePort source port, u16
     * @param destinationPort destination port, u16
     * @param length bytes of this header and all that follows, u16
     * @param checksum u16, written as given; 0 for none
     */
    public static void put(ByteBuffer b, int at, int sourcePort, int destinationPort, int length, int checksum) {
        b.putInt(at + SOURCE_PORT_OFFSET, sourcePort << 16 | destinationPort & 0xFFFF);
        b.putInt(at + LENGTH_OFFSET, length << 16 | checksum & 0xFFFF);
    }

    /**
     * Writes the checksum of a datagram, whose checksum field is 0.
     *
     * @param b buffer, big-endian
     * @param at offset of the UDP header
     * @param addressesAt offset of the source address in the IP header, which the destination address follows
     * @param ip bytes of both addresses: 8 or 32
     */
    public static void putChecksum(ByteBuffer b, int at, int addressesAt, int ip) {
        int checksum = InternetChecksum.of(Ipv4.PROTOCOL_UDP, b, at, length(b, at), addressesAt, ip);
        b.putShort(at + CHECKSUM_OFFSET, (short) (checksum == 0 ? 0xFFFF : checksum));
    }

    /**
     * {@return whether the length field fits}
     *
     * @param b buffer, big-endian
     * @param at offset of the UDP header
     * @param available bytes of the IP packet from {@code at}; UDP may use fewer
     */
    public static boolean isValid(ByteBuffer b, int at, int available) {
        return available >= LENGTH && length(b, at) >= LENGTH && length(b, at) <= available;
    }
}
