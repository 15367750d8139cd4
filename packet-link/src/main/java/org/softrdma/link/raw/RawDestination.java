// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.link.PacketTrains;
import org.softrdma.link.Path;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.roce.Grh;

/**
 * The raw link's state of a {@link Path}: all headers before the BTH, except lengths, checksums and the neighbour's MAC address.
 *
 * <pre>
 *   virtio_net_hdr (10) | Ethernet (14) | GRH (40)                            RoCE v1
 *   virtio_net_hdr (10) | Ethernet (14) | IPv4 (20) or IPv6 (40) | UDP (8)    RoCE v2
 * </pre>
 */
final class RawDestination implements PacketTrains.Target {
    /** Length of the struct virtio_net_hdr, in host byte order; all zero without offloads. Source: linux/virtio_net.h */
    static final int VIRTIO_BYTES = 10;
    /** Longest headers. */
    static final int MAX_HEADER_BYTES = VIRTIO_BYTES + Ethernet.LENGTH + Ipv6.LENGTH + Udp.LENGTH;
    static final int VIRTIO_GSO_TYPE = 1;
    static final int VIRTIO_GSO_BYTES = 4;
    /** GSO type of a train of UDP datagrams. */
    static final int GSO_UDP = 5;

    private static final int NEEDS_CHECKSUM = 1;
    private static final int VIRTIO_HEADER_LENGTH = 2;
    private static final int VIRTIO_CHECKSUM_START = 6;
    private static final int VIRTIO_CHECKSUM_OFFSET = 8;
    private static final int ETHERNET_AT = VIRTIO_BYTES;
    private static final int NETWORK_AT = ETHERNET_AT + Ethernet.LENGTH;

    private final GidType type;
    private final Gid remote;
    private final int trafficClass;
    private final int hopLimit;
    private final int priority;
    /** Null for a group, whose MAC address follows from its GID, and for the loopback interface. */
    private final Route route;
    private final boolean own;
    private final ByteBuffer header;
    private final MemorySegment memory;
    private final int udpAt;
    /** Ones' complement sums: of the IPv4 header without total length, and of UDP's pseudo header without length. */
    private final int ipv4Sum;
    private final int pseudoSum;

    /**
     * Builds the headers.
     *
     * @param priority  0..7
     * @param route     null if {@code mac} never changes
     * @param mac       u48; ignored if there is a route
     * @param own       packets are delivered to this link itself
     * @param port      of RoCE v2, both ends
     */
    RawDestination(GidType type, Gid local, Gid remote, int trafficClass, int hopLimit, int priority, Route route, long mac,
                   boolean own, long sourceMac, int port) {
        this.type = type;
        this.remote = remote;
        this.trafficClass = trafficClass;
        this.hopLimit = hopLimit;
        this.priority = priority;
        this.route = route;
        this.own = own;
        boolean ipv4 = type == GidType.ROCE_V2 && remote.isIpv4Mapped();
        int networkBytes = ipv4 ? Ipv4.LENGTH : Ipv6.LENGTH;
        udpAt = type == GidType.ROCE_V2 ? NETWORK_AT + networkBytes : 0;
        byte[] bytes = new byte[type == GidType.ROCE_V2 ? udpAt + Udp.LENGTH : NETWORK_AT + Grh.LENGTH];
        memory = MemorySegment.ofArray(bytes);
        header = ByteBuffer.wrap(bytes);
        Ethernet.put(header, ETHERNET_AT, mac, sourceMac, ethertype(type, ipv4));
        if (type == GidType.ROCE_V1) {
            Grh.put(header, NETWORK_AT, trafficClass, 0, 0, Grh.NEXT_HEADER_BTH, hopLimit, local.high(), local.low(), remote.high(),
                remote.low());
        } else if (ipv4) {
            Ipv4.put(header, NETWORK_AT, trafficClass, 0, 0, true, hopLimit, Ipv4.PROTOCOL_UDP, local.ipv4(), remote.ipv4());
        } else {
            Ipv6.put(header, NETWORK_AT, trafficClass, 0, 0, Ipv4.PROTOCOL_UDP, hopLimit, local.high(), local.low(), remote.high(),
                remote.low());
        }
        if (udpAt != 0) {
            Udp.put(header, udpAt, port, port, 0, 0);
        }
        if (udpAt != 0 && !ipv4) {
            requestChecksum(header, 0);
        }
        ipv4Sum = ipv4 ? Ipv4.computeChecksum(header, NETWORK_AT) ^ 0xffff : 0;
        pseudoSum = fold(sum(ipv4 ? NETWORK_AT + Ipv4.SOURCE_OFFSET : NETWORK_AT + Ipv6.SOURCE_OFFSET, ipv4 ? 8 : 32) + Ipv4.PROTOCOL_UDP);
    }

    private static int ethertype(GidType type, boolean ipv4) {
        return type == GidType.ROCE_V1 ? Ethernet.TYPE_ROCE_V1 : ipv4 ? Ethernet.TYPE_IPV4 : Ethernet.TYPE_IPV6;
    }

    private int sum(int at, int bytes) {
        int sum = 0;
        for (int i = at; i < at + bytes; i += 2) {
            sum += header.getShort(i) & 0xffff;
        }
        return sum;
    }

    private static int fold(int sum) {
        int once = (sum & 0xffff) + (sum >>> 16);
        return (once & 0xffff) + (once >>> 16);
    }

    /** Whether packets to it are delivered to this link itself and never sent. */
    boolean isOwn() {
        return own;
    }

    /** Whether it is a group: packets are sent, and also delivered to this link if it is a member. */
    boolean isGroup() {
        return remote.isMulticast();
    }

    Gid remote() {
        return remote;
    }

    /** The next hop; null if the MAC address never changes. */
    Neighbour neighbour() {
        return route == null ? null : route.neighbour();
    }

    /** Whether the MAC address is known now. */
    boolean isReady() {
        return route == null || route.neighbour().isKnown();
    }

    /** Whether packets to it can leave as trains. */
    boolean canSegment() {
        return type == GidType.ROCE_V2;
    }

    /** Priority for queues and VLAN tags, 0..7. */
    int priority() {
        return priority;
    }

    int headerBytes() {
        return (int) memory.byteSize();
    }

    /**
     * Writes the headers of one packet.
     *
     * @param bytes from BTH to ICRC, both inclusive
     */
    void putHeader(ByteBuffer to, MemorySegment toMemory, int at, int bytes) {
        MemorySegment.copy(memory, 0, toMemory, at, memory.byteSize());
        if (route != null) {
            putMac(to, at + ETHERNET_AT + Ethernet.DESTINATION_OFFSET, route.neighbour().macToUse());
        }
        if (type == GidType.ROCE_V1) {
            to.putShort(at + NETWORK_AT + Grh.PAYLOAD_LENGTH_OFFSET, (short) bytes);
            return;
        }
        int udpBytes = Udp.LENGTH + bytes;
        to.putShort(at + udpAt + Udp.LENGTH_OFFSET, (short) udpBytes);
        if (remote.isIpv4Mapped()) {
            int total = Ipv4.LENGTH + udpBytes;
            to.putShort(at + NETWORK_AT + Ipv4.TOTAL_LENGTH_OFFSET, (short) total);
            to.putShort(at + NETWORK_AT + Ipv4.CHECKSUM_OFFSET, (short) ~fold(ipv4Sum + total));
        } else {
            to.putShort(at + NETWORK_AT + Ipv6.PAYLOAD_LENGTH_OFFSET, (short) udpBytes);
            putPseudoSum(to, at, udpBytes);
        }
    }

    /**
     * Requests the UDP checksum from the kernel or the NIC. Over IPv6 it is required (RFC 8200 §8.1), and hosts send ICMP port unreachable
     * only for packets that have it.
     */
    private void requestChecksum(ByteBuffer to, int at) {
        to.put(at, (byte) NEEDS_CHECKSUM);
        putNative(to, at + VIRTIO_CHECKSUM_START, udpAt - ETHERNET_AT);
        putNative(to, at + VIRTIO_CHECKSUM_OFFSET, Udp.CHECKSUM_OFFSET);
    }

    /** Writes the sum of the pseudo header, which the checksum field must hold before. */
    private void putPseudoSum(ByteBuffer to, int at, int udpBytes) {
        to.putShort(at + udpAt + Udp.CHECKSUM_OFFSET, (short) fold(pseudoSum + udpBytes));
    }

    /**
     * Writes the headers of a train. The kernel or NIC that cuts it adapts them for each packet: lengths, identifications from 0 up,
     * checksums.
     *
     * @param bytes       of all packets
     * @param packetBytes of each but the last
     */
    void putTrainHeader(ByteBuffer to, MemorySegment toMemory, int at, int bytes, int packetBytes) {
        putHeader(to, toMemory, at, bytes);
        putPseudoSum(to, at, Udp.LENGTH + bytes);
        requestChecksum(to, at);
        to.put(at + VIRTIO_GSO_TYPE, (byte) GSO_UDP);
        putNative(to, at + VIRTIO_HEADER_LENGTH, headerBytes() - VIRTIO_BYTES);
        putNative(to, at + VIRTIO_GSO_BYTES, packetBytes);
    }

    private static void putMac(ByteBuffer b, int at, long mac) {
        b.putInt(at, (int) (mac >>> 16));
        b.putShort(at + 4, (short) mac);
    }

    /** The link runs on little-endian machines only. */
    private static void putNative(ByteBuffer b, int at, int value) {
        b.putShort(at, Short.reverseBytes((short) value));
    }

    static int getNative(ByteBuffer b, int at) {
        return Short.reverseBytes(b.getShort(at)) & 0xffff;
    }

    @Override
    public boolean isSameAs(PacketTrains.Target target) {
        return this == target || target instanceof RawDestination other && type == other.type && trafficClass == other.trafficClass
            && priority == other.priority && hopLimit == other.hopLimit && neighbour() == other.neighbour() && remote.equals(other.remote)
            && header.equals(other.header);
    }
}
