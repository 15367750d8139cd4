// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import java.nio.ByteBuffer;

/**
 * TCP header without options.
 *
 * <pre>
 *  0 | source port (2)      | destination port (2) |
 *  4 | sequence number (4)                         |
 *  8 | acknowledgement number (4)                  |
 * 12 | header length, flags (2) | window (2)       |
 * 16 | checksum (2)         | urgent pointer (2)   |
 * </pre>
 *
 * Source: RFC 9293 §3.1.
 */
public final class Tcp {
    /** Bytes. */
    public static final int LENGTH = 20;
    /** Protocol number of TCP in IP headers. */
    public static final int PROTOCOL = 6;
    /** Flag: the sender has no more data. */
    public static final int FIN = 0x01;
    /** Flag: synchronise sequence numbers. */
    public static final int SYN = 0x02;
    /** Flag: reset the connection. */
    public static final int RST = 0x04;
    /** Flag: deliver at once. */
    public static final int PSH = 0x08;
    /** Flag: the acknowledgement number is valid. */
    public static final int ACK = 0x10;

    private static final int CHECKSUM_OFFSET = 16;
    private static final int LARGEST_WINDOW = 0xFFFF;

    private Tcp() {
    }

    /**
     * Writes all 20 bytes, with the largest window and a checksum of 0.
     *
     * @param b buffer, big-endian
     * @param at offset of the TCP header
     * @param sourcePort source port, u16
     * @param destinationPort destination port, u16
     * @param sequence u32
     * @param acknowledge u32
     * @param flags {@link #FIN} and the others, added
     */
    public static void put(ByteBuffer b, int at, int sourcePort, int destinationPort, int sequence, int acknowledge, int flags) {
        b.putInt(at, sourcePort << 16 | destinationPort & 0xFFFF);
        b.putInt(at + 4, sequence);
        b.putInt(at + 8, acknowledge);
        b.putInt(at + 12, LENGTH / 4 << 28 | flags << 16 | LARGEST_WINDOW);
        b.putInt(at + CHECKSUM_OFFSET, 0);
    }

    /**
     * Writes the checksum of a segment, whose checksum field is 0.
     *
     * @param b buffer, big-endian
     * @param at offset of the TCP header
     * @param addressesAt offset of the source address, which the destination address follows; both belong to the checksum
     * @param ip bytes of both addresses: 8 or 32
     * @param length bytes of header and payload
     */
    public static void putChecksum(ByteBuffer b, int at, int addressesAt, int ip, int length) {
        b.putShort(at + CHECKSUM_OFFSET, (short) InternetChecksum.of(PROTOCOL, b, at, length, addressesAt, ip));
    }
}
