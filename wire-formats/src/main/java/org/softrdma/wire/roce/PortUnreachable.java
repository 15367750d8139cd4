// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;

/**
 * Response of a host to a RoCE v2 packet for a closed UDP port: an ICMP message that contains the beginning of that packet.
 *
 * <pre>
 *  Ethernet | IPv4 | ICMP type 3, code 3   (8) | IPv4 | UDP | BTH … as much as fits
 *  Ethernet | IPv6 | ICMPv6 type 1, code 4 (8) | IPv6 | UDP | BTH … as much as fits
 *                                                ^quotedIpAt  ^quotedBthAt
 * </pre>
 *
 * An object holds the answer for the last frame: reusable, not thread-safe, no allocation. Anybody can send such a message: how much of
 * the packet it knows is for the caller to judge. Source: RFC 792, RFC 4443 §3.1.
 */
public final class PortUnreachable {
    /** In the IPv4 header. */
    public static final int PROTOCOL_ICMP = 1;
    /** Next header of the IPv6 header. */
    public static final int PROTOCOL_ICMPV6 = 58;
    /** The first two bytes of the ICMP message. */
    public static final int IPV4_TYPE_AND_CODE = 0x0303;
    /** The first two bytes of the ICMPv6 message. */
    public static final int IPV6_TYPE_AND_CODE = 0x0104;
    private static final int ICMP_BYTES = 8;

    private boolean ipv4;
    private int outerIpAt;
    private int quotedIpAt;
    private int end;

    /** Knows no frame yet. */
    public PortUnreachable() {
    }

    /**
     * Looks into an untagged Ethernet frame.
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     * @param length bytes of the frame; the buffer has them
     * @return whether it is such a message, from the host the packet was for, with a BTH in it
     */
    public boolean dissect(ByteBuffer b, int at, int length) {
        outerIpAt = at + Ethernet.LENGTH;
        end = at + length;
        if (length < Ethernet.LENGTH) {
            return false;
        }
        return switch (Ethernet.type(b, at)) {
            case Ethernet.TYPE_IPV4 -> dissectIpv4(b) && isFromWhomItWasFor(b);
            case Ethernet.TYPE_IPV6 -> dissectIpv6(b) && isFromWhomItWasFor(b);
            default -> false;
        };
    }

    private boolean dissectIpv4(ByteBuffer b) {
        ipv4 = true;
        if (!Ipv4.isValid(b, outerIpAt, end - outerIpAt) || Ipv4.protocol(b, outerIpAt) != PROTOCOL_ICMP || Ipv4.isFragment(b, outerIpAt)) {
            return false;
        }
        end = outerIpAt + Ipv4.totalLength(b, outerIpAt);
        int icmp = outerIpAt + Ipv4.headerLength(b, outerIpAt);
        quotedIpAt = icmp + ICMP_BYTES;
        return end - quotedIpAt >= Ipv4.LENGTH + Udp.LENGTH + Bth.LENGTH
            && (b.getShort(icmp) & 0xFFFF) == IPV4_TYPE_AND_CODE
            && Ipv4.version(b, quotedIpAt) == 4
            && Ipv4.headerLength(b, quotedIpAt) == Ipv4.LENGTH
            && Ipv4.protocol(b, quotedIpAt) == Ipv4.PROTOCOL_UDP
            && isForRoce(b);
    }

    private boolean dissectIpv6(ByteBuffer b) {
        ipv4 = false;
        if (!Ipv6.isValid(b, outerIpAt, end - outerIpAt) || Ipv6.nextHeader(b, outerIpAt) != PROTOCOL_ICMPV6) {
            return false;
        }
        int icmp = outerIpAt + Ipv6.LENGTH;
        end = icmp + Ipv6.payloadLength(b, outerIpAt);
        quotedIpAt = icmp + ICMP_BYTES;
        return end - quotedIpAt >= Ipv6.LENGTH + Udp.LENGTH + Bth.LENGTH
            && (b.getShort(icmp) & 0xFFFF) == IPV6_TYPE_AND_CODE
            && Ipv6.version(b, quotedIpAt) == 6
            && Ipv6.nextHeader(b, quotedIpAt) == Ipv4.PROTOCOL_UDP
            && isForRoce(b);
    }

    private boolean isForRoce(ByteBuffer b) {
        return Udp.destinationPort(b, quotedBthAt() - Udp.LENGTH) == Udp.DEST_PORT_ROCE;
    }

    private boolean isFromWhomItWasFor(ByteBuffer b) {
        return ipv4 ? Ipv4.source(b, outerIpAt) == Ipv4.destination(b, quotedIpAt)
            : Ipv6.sourceHigh(b, outerIpAt) == Ipv6.destinationHigh(b, quotedIpAt)
                && Ipv6.sourceLow(b, outerIpAt) == Ipv6.destinationLow(b, quotedIpAt);
    }

    /** {@return whether the packet was one over IPv4} */
    public boolean isIpv4() {
        return ipv4;
    }

    /** {@return the offset of the packet's IP header} */
    public int quotedIpAt() {
        return quotedIpAt;
    }

    /** {@return the offset of the packet's BTH} */
    public int quotedBthAt() {
        return quotedIpAt + (ipv4 ? Ipv4.LENGTH : Ipv6.LENGTH) + Udp.LENGTH;
    }

    /** {@return bytes there are of it, from the BTH on} */
    public int quotedLength() {
        return end - quotedBthAt();
    }
}
