// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.pcap;

import java.nio.ByteBuffer;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;

/**
 * Headers of captured frames that were sent and received without them, by a socket: MAC addresses are 02:00 and the low 32 bits of the IP
 * address, hop limits {@value #HOP_LIMIT}. Each method writes an Ethernet header too, directly before, and returns its offset.
 */
public final class SynthesizedHeaders {
    /** Hop limit, or time to live. */
    public static final int HOP_LIMIT = 64;

    private static final long LOCAL_MAC = 0x0200_0000_0000L;

    private SynthesizedHeaders() {
    }

    /**
     * Writes an IPv4 header, which forbids fragments.
     *
     * @param b buffer, big-endian
     * @param at offset of the header
     * @param trafficClass traffic class, u8
     * @param payloadBytes bytes after it
     * @param id identification, u16
     * @param protocol protocol of the payload, u8
     * @param from sender's IPv4 address, raw 32 bits
     * @param to receiver's IPv4 address, raw 32 bits
     * @return offset of the Ethernet header
     */
    public static int putIpv4(ByteBuffer b, int at, int trafficClass, int payloadBytes, int id, int protocol, int from, int to) {
        Ipv4.put(b, at, trafficClass, Ipv4.LENGTH + payloadBytes, id, true, HOP_LIMIT, protocol, from, to);
        return putEthernet(b, at, from, to, Ethernet.TYPE_IPV4);
    }

    /**
     * Writes an IPv6 header.
     *
     * @param b buffer, big-endian
     * @param at offset of the header
     * @param trafficClass traffic class, u8
     * @param payloadBytes bytes after it
     * @param protocol protocol of the payload, u8
     * @param fromHigh first 64 bits of the sender's address
     * @param fromLow last 64 bits of the sender's address
     * @param toHigh first 64 bits of the receiver's address
     * @param toLow last 64 bits of the receiver's address
     * @return offset of the Ethernet header
     */
    public static int putIpv6(ByteBuffer b, int at, int trafficClass, int payloadBytes, int protocol, long fromHigh, long fromLow,
            long toHigh, long toLow) {
        Ipv6.put(b, at, trafficClass, 0, payloadBytes, protocol, HOP_LIMIT, fromHigh, fromLow, toHigh, toLow);
        return putEthernet(b, at, (int) fromLow, (int) toLow, Ethernet.TYPE_IPV6);
    }

    /**
     * Writes the Ethernet header alone.
     *
     * @param b buffer, big-endian
     * @param before offset of the header after it
     * @param from low 32 bits of the sender's IP address
     * @param to of the receiver's
     * @param etherType ethertype, u16
     * @return offset of the Ethernet header
     */
    public static int putEthernet(ByteBuffer b, int before, int from, int to, int etherType) {
        int at = before - Ethernet.LENGTH;
        Ethernet.put(b, at, mac(to), mac(from), etherType);
        return at;
    }

    private static long mac(int addressLow) {
        return LOCAL_MAC | Integer.toUnsignedLong(addressLow);
    }
}
