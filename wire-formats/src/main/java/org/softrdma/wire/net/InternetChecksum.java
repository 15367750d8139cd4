// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import java.nio.ByteBuffer;

/**
 * Checksum of TCP, UDP and ICMPv6, over a segment and the addresses of its IP packet, and of ICMP, over the message. Source: RFC 9293 §3.1,
 * RFC 768, RFC 8200 §8.1, RFC 4443 §2.3, RFC 792.
 */
public final class InternetChecksum {
    private InternetChecksum() {
    }

    /**
     * {@return the checksum of a segment whose checksum field is 0, u16; 0 if the field has the right checksum}
     *
     * @param protocol    of the IP packet
     * @param b           buffer, big-endian
     * @param at          offset of the segment
     * @param length      bytes of header and payload
     * @param addressesAt offset of the source address, which the destination address follows
     * @param ip          bytes of both addresses: 8 or 32
     */
    public static int of(int protocol, ByteBuffer b, int at, int length, int addressesAt, int ip) {
        return complement(protocol + length + sum(b, addressesAt, ip) + sum(b, at, length));
    }

    /**
     * {@return the checksum of a message without addresses whose checksum field is 0, u16; 0 if the field has the right checksum}
     *
     * @param b      buffer, big-endian
     * @param at     offset of the message
     * @param length bytes of the message
     */
    public static int of(ByteBuffer b, int at, int length) {
        return complement(sum(b, at, length));
    }

    private static int complement(long total) {
        long sum = total;
        while (sum > 0xFFFF) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return (int) ~sum & 0xFFFF;
    }

    private static long sum(ByteBuffer b, int at, int length) {
        long sum = 0;
        int even = length & ~1;
        for (int i = 0; i < even; i += 2) {
            sum += b.getShort(at + i) & 0xFFFF;
        }
        return even == length ? sum : sum + ((b.get(at + even) & 0xFF) << 8);
    }
}
