// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.net.Vlan;
import org.softrdma.wire.pcap.Pcapng;

/**
 * Finds the RoCE packet in an Ethernet frame or a bare IP packet, or says why there is none. For captures, tests and raw links.
 *
 * <pre>
 *  Ethernet | up to two VLAN tags | GRH              | BTH … pad | ICRC | padding      v1
 *  Ethernet | up to two VLAN tags | IPv4 or IPv6 UDP | BTH … pad | ICRC | padding      v2
 *                                   ^ipAt              ^bthAt      ^end
 * </pre>
 *
 * An object holds the answer for the last frame: reusable, not thread-safe, no allocation. What the packet itself says is
 * {@link PacketCheck}'s business. Addresses, P_Key and ICRC are the caller's.
 */
public final class RoceFrame {
    /** A RoCE packet of at least a BTH and an ICRC stands at {@link #bthAt()}. */
    public static final int OK = 0;
    /** Shorter than its Ethernet header and tags. */
    public static final int TRUNCATED_ETHERNET = 1;
    /** Neither IPv4, IPv6 nor RoCE v1 (ARP, for example). */
    public static final int OTHER_ETHERTYPE = 2;
    /** IPv4, IPv6 or GRH: too short, wrong version, or a length that does not fit. */
    public static final int BAD_NETWORK_HEADER = 3;
    /** IPv4 header checksum does not add up. */
    public static final int BAD_IPV4_CHECKSUM = 4;
    /** IPv4 options, which RoCE v2 does not use. */
    public static final int IPV4_OPTIONS = 5;
    /** Part of a larger datagram: its ICRC cannot be right. */
    public static final int FRAGMENT = 6;
    /** IP, but not UDP directly behind the fixed header. */
    public static final int NOT_UDP = 7;
    /** UDP to another port than 4791. */
    public static final int OTHER_PORT = 8;
    /** UDP length does not fit. */
    public static final int BAD_UDP_LENGTH = 9;
    /** No room for a BTH and an ICRC. */
    public static final int TOO_SHORT = 10;

    /** {@link #version()}: nothing found. */
    public static final int VERSION_NONE = 0;
    /** {@link #version()}: RoCE v1, GRH at {@link #ipAt()}. */
    public static final int VERSION_1 = 1;
    /** {@link #version()}: RoCE v2 over IPv4. */
    public static final int VERSION_2_IPV4 = 2;
    /** {@link #version()}: RoCE v2 over IPv6. */
    public static final int VERSION_2_IPV6 = 3;

    private static final int MAX_TAGS = 2;
    private static final String[] NAMES = {
        "ok", "truncated ethernet", "other ethertype", "bad network header", "bad ipv4 checksum", "ipv4 options", "fragment", "not udp",
        "other port", "bad udp length", "too short",
    };

    private int version;
    private int ipAt;
    private int bthAt;
    private int end;

    /** Knows no frame yet: {@link #version()} is {@link #VERSION_NONE}. */
    public RoceFrame() {
    }

    /**
     * Looks into an Ethernet frame without FCS.
     *
     * @param b buffer with the frame, big-endian
     * @param at offset of the frame
     * @param length its bytes; the buffer has them
     * @return {@link #OK} or the reason why not
     */
    public int dissectEthernet(ByteBuffer b, int at, int length) {
        forget();
        int left = length - Ethernet.LENGTH;
        if (left < 0) {
            return TRUNCATED_ETHERNET;
        }
        int type = Ethernet.type(b, at);
        int l3At = at + Ethernet.LENGTH;
        for (int tags = 0; tags < MAX_TAGS && (type == Ethernet.TYPE_VLAN || type == Ethernet.TYPE_SERVICE_VLAN); tags++) {
            left -= Vlan.LENGTH;
            if (left < 0) {
                return TRUNCATED_ETHERNET;
            }
            type = Vlan.type(b, l3At);
            l3At += Vlan.LENGTH;
        }
        return switch (type) {
            case Ethernet.TYPE_IPV4 -> dissectIpv4(b, l3At, left);
            case Ethernet.TYPE_IPV6 -> dissectIpv6(b, l3At, left);
            case Ethernet.TYPE_ROCE_V1 -> dissectGrh(b, l3At, left);
            default -> OTHER_ETHERTYPE;
        };
    }

    /**
     * Looks into an IPv4 or IPv6 packet without link header.
     *
     * @param b buffer with the frame, big-endian
     * @param at offset of the IP header
     * @param length bytes; the buffer has them
     * @return {@link #OK} or the reason why not
     */
    public int dissectIp(ByteBuffer b, int at, int length) {
        forget();
        if (length < 1) {
            return BAD_NETWORK_HEADER;
        }
        return switch (Ipv4.version(b, at)) {
            case 4 -> dissectIpv4(b, at, length);
            case 6 -> dissectIpv6(b, at, length);
            default -> BAD_NETWORK_HEADER;
        };
    }

    /**
     * Looks into a captured packet by the link type of its capture.
     *
     * @param b buffer with the frame, big-endian
     * @param linkType {@link Pcapng#LINK_ETHERNET} or {@link Pcapng#LINK_RAW_IP}
     * @param at offset of the first byte to look at
     * @param length bytes
     * @return {@link #OK} or the reason why not; {@link #OTHER_ETHERTYPE} for other link types
     */
    public int dissect(ByteBuffer b, int linkType, int at, int length) {
        forget();
        return switch (linkType) {
            case Pcapng.LINK_ETHERNET -> dissectEthernet(b, at, length);
            case Pcapng.LINK_RAW_IP -> dissectIp(b, at, length);
            default -> OTHER_ETHERTYPE;
        };
    }

    /** {@return one of {@code VERSION_…}; anything but {@link #VERSION_NONE} means the last frame was {@link #OK} and the offsets hold} */
    public int version() {
        return version;
    }

    /** {@return the offset of the IPv4, IPv6 or Global Route header} */
    public int ipAt() {
        return ipAt;
    }

    /** {@return the offset of the UDP header, RoCE v2 only} */
    public int udpAt() {
        return bthAt - Udp.LENGTH;
    }

    /** {@return the offset of the BTH} */
    public int bthAt() {
        return bthAt;
    }

    /** {@return the offset of the ICRC, the exclusive end of what it covers} */
    public int end() {
        return end;
    }

    /** {@return bytes from the BTH to the end of the ICRC inclusive, as {@link PacketCheck#verdict} takes them} */
    public int packetLength() {
        return end + Icrc.LENGTH - bthAt;
    }

    /**
     * {@return the ICRC the frame should have; only after {@link #OK}}
     *
     * @param b buffer with the frame, big-endian
     * @param icrc the computation to use
     */
    public int computeIcrc(ByteBuffer b, Icrc icrc) {
        return switch (version) {
            case VERSION_1 -> icrc.ofGrhFrame(b, ipAt, bthAt, end);
            case VERSION_2_IPV4 -> icrc.ofIpv4Frame(b, ipAt, bthAt, end);
            case VERSION_2_IPV6 -> icrc.ofIpv6Frame(b, ipAt, bthAt, end);
            default -> throw new IllegalStateException("no RoCE packet found in the last frame");
        };
    }

    /**
     * {@return text for messages and counters, such as "bad udp length"}
     *
     * @param verdict as the {@code dissect} methods return it
     */
    public static String name(int verdict) {
        return verdict >= 0 && verdict < NAMES.length ? NAMES[verdict] : "verdict " + verdict;
    }

    private void forget() {
        version = VERSION_NONE;
        ipAt = 0;
        bthAt = 0;
        end = 0;
    }

    private int dissectGrh(ByteBuffer b, int at, int left) {
        if (!Grh.isValid(b, at, left)) {
            return BAD_NETWORK_HEADER;
        }
        return found(VERSION_1, at, at + Grh.LENGTH, Grh.payloadLength(b, at));
    }

    private int dissectIpv4(ByteBuffer b, int at, int left) {
        if (!Ipv4.isValid(b, at, left)) {
            return BAD_NETWORK_HEADER;
        }
        if (!Ipv4.isChecksumValid(b, at)) {
            return BAD_IPV4_CHECKSUM;
        }
        if (Ipv4.isFragment(b, at)) {
            return FRAGMENT;
        }
        if (Ipv4.protocol(b, at) != Ipv4.PROTOCOL_UDP) {
            return NOT_UDP;
        }
        if (Ipv4.headerLength(b, at) != Ipv4.LENGTH) {
            return IPV4_OPTIONS;
        }
        return dissectUdp(VERSION_2_IPV4, b, at, at + Ipv4.LENGTH, Ipv4.totalLength(b, at) - Ipv4.LENGTH);
    }

    private int dissectIpv6(ByteBuffer b, int at, int left) {
        if (!Ipv6.isValid(b, at, left)) {
            return BAD_NETWORK_HEADER;
        }
        if (Ipv6.nextHeader(b, at) != Ipv4.PROTOCOL_UDP) {
            return NOT_UDP;
        }
        return dissectUdp(VERSION_2_IPV6, b, at, at + Ipv6.LENGTH, Ipv6.payloadLength(b, at));
    }

    private int dissectUdp(int foundVersion, ByteBuffer b, int ip, int udpAt, int left) {
        if (!Udp.isValid(b, udpAt, left)) {
            return BAD_UDP_LENGTH;
        }
        if (Udp.destinationPort(b, udpAt) != Udp.DEST_PORT_ROCE) {
            return OTHER_PORT;
        }
        return found(foundVersion, ip, udpAt + Udp.LENGTH, Udp.length(b, udpAt) - Udp.LENGTH);
    }

    private int found(int foundVersion, int l3At, int packetAt, int length) {
        if (length < Bth.LENGTH + Icrc.LENGTH) {
            return TOO_SHORT;
        }
        version = foundVersion;
        ipAt = l3At;
        bthAt = packetAt;
        end = packetAt + length - Icrc.LENGTH;
        return OK;
    }
}
