// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import org.softrdma.wire.ipoib.IpoibHeader;
import org.softrdma.wire.net.InternetChecksum;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;

/**
 * The report by ICMP that a packet is too long for its next hop. It comes from the packet's destination: the IP stack takes none from an
 * address of its own. Source: RFC 792, RFC 1191 §4, RFC 1812 §4.3.2.3, RFC 4443 §3.2.
 */
final class PacketTooBig {
    private static final int ICMP = 1;
    private static final int UNREACHABLE = 3;
    private static final int FRAGMENTATION_NEEDED = 4;
    private static final int NEXT_HOP_MTU_AT = 6;
    private static final int ICMPV6 = 58;
    private static final int PACKET_TOO_BIG = 2;
    private static final int FIRST_INFORMATIONAL = 128;
    private static final int MTU_AT = 4;
    private static final int CHECKSUM_AT = 2;
    private static final int HEADER = 8;
    private static final int IPV4_LONGEST = 576;
    private static final int IPV6_LONGEST = 1280;
    private static final int ADDRESSES_BYTES = 32;
    private static final int FRAGMENT_OFFSET_BITS = 0x1FFF;
    private static final int TTL = 64;
    private static final int ECHO_REPLY = 0;
    private static final int ECHO_REQUEST = 8;

    private PacketTooBig() {
    }

    /**
     * Makes the report.
     *
     * @param b   the packet, valid, from {@code at} to the buffer's capacity
     * @param mtu longest IP packet to its next hop, bytes
     * @return IP packet for its sender; null if no report may be made of it: it is an error itself, or not the first fragment
     */
    static ByteBuffer of(int type, ByteBuffer b, int at, int mtu) {
        return type == IpoibHeader.IPV4 ? ofIpv4(b, at, mtu) : ofIpv6(b, at, mtu);
    }

    private static ByteBuffer ofIpv4(ByteBuffer b, int at, int mtu) {
        int data = at + Ipv4.headerLength(b, at);
        boolean error = Ipv4.protocol(b, at) == ICMP && data < b.capacity() && b.get(data) != ECHO_REQUEST && b.get(data) != ECHO_REPLY;
        if (error || (b.getShort(at + Ipv4.FRAGMENT_OFFSET) & FRAGMENT_OFFSET_BITS) != 0) {
            return null;
        }
        int quoted = Math.min(b.capacity() - at, IPV4_LONGEST - Ipv4.LENGTH - HEADER);
        ByteBuffer report = ByteBuffer.allocate(Ipv4.LENGTH + HEADER + quoted);
        Ipv4.put(report, 0, 0, report.capacity(), 0, true, TTL, ICMP, Ipv4.destination(b, at), Ipv4.source(b, at));
        int icmp = Ipv4.LENGTH;
        report.put(icmp, (byte) UNREACHABLE);
        report.put(icmp + 1, (byte) FRAGMENTATION_NEEDED);
        report.putShort(icmp + NEXT_HOP_MTU_AT, (short) mtu);
        report.put(icmp + HEADER, b, at, quoted);
        report.putShort(icmp + CHECKSUM_AT, (short) InternetChecksum.of(report, icmp, HEADER + quoted));
        return report;
    }

    private static ByteBuffer ofIpv6(ByteBuffer b, int at, int mtu) {
        int data = at + Ipv6.LENGTH;
        if (Ipv6.nextHeader(b, at) == ICMPV6 && data < b.capacity() && (b.get(data) & 0xFF) < FIRST_INFORMATIONAL) {
            return null;
        }
        int quoted = Math.min(b.capacity() - at, IPV6_LONGEST - Ipv6.LENGTH - HEADER);
        ByteBuffer report = ByteBuffer.allocate(Ipv6.LENGTH + HEADER + quoted);
        Ipv6.put(report, 0, 0, 0, HEADER + quoted, ICMPV6, TTL, Ipv6.destinationHigh(b, at), Ipv6.destinationLow(b, at),
            Ipv6.sourceHigh(b, at), Ipv6.sourceLow(b, at));
        int icmp = Ipv6.LENGTH;
        report.put(icmp, (byte) PACKET_TOO_BIG);
        report.putInt(icmp + MTU_AT, mtu);
        report.put(icmp + HEADER, b, at, quoted);
        int checksum = InternetChecksum.of(ICMPV6, report, icmp, HEADER + quoted, Ipv6.SOURCE_OFFSET, ADDRESSES_BYTES);
        report.putShort(icmp + CHECKSUM_AT, (short) checksum);
        return report;
    }
}
