// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import java.nio.ByteBuffer;

/** Checksum of TCP and UDP, over a segment and the addresses of its IP packet. Source: RFC 9293 §3.1, RFC 768, RFC 8200 §8.1. */
final class InternetChecksum {
    private InternetChecksum() {
    }

    /**
     * Computes the checksum of a segment, whose checksum field is 0.
     *
     * @param protocol    of the IP packet
     * @param length      bytes of header and payload
     * @param addressesAt offset of the source address, which the destination address follows
     * @param ip          bytes of both addresses: 8 or 32
     */
    static int of(int protocol, ByteBuffer b, int at, int length, int addressesAt, int ip) {
        long sum = protocol + length + sum(b, addressesAt, ip) + sum(b, at, length);
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
