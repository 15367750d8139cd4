// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.device.Counters;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.net.Gids;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.PortUnreachable;
import org.softrdma.wire.roce.RoceFrame;

/**
 * Extracts packets from the frames of a packet socket: validates all headers before the BTH, which the kernel has not checked, and delivers
 * packets to this link's addresses and groups. Others are dropped and counted by reason.
 */
final class RawFrameReader {
    /** Minimum packet of a train: a train of single bytes could only be an attempt at overload. */
    private static final int MIN_PACKET_BYTES = Bth.LENGTH + Icrc.LENGTH;
    private static final int GSO_TYPE = 0x7f;
    private static final int DF = 0x4000;

    private final List<GidType> types;
    private final Counters<RawCounter> counters;
    private final RoceFrame roce = new RoceFrame();
    private final PortUnreachable returned = new PortUnreachable();
    private final ReceivedFrame frame = new ReceivedFrame();
    private Gid[] locals = {};

    RawFrameReader(List<GidType> types, Counters<RawCounter> counters) {
        this.types = types;
        this.counters = counters;
    }

    /** Accepts frames to these addresses and groups from now on, and no others. */
    void setLocalAddresses(List<Gid> addresses, List<Gid> groups) {
        List<Gid> all = new ArrayList<>(addresses);
        all.addAll(groups);
        locals = all.toArray(Gid[]::new);
    }

    /**
     * Reads a frame: one packet, or a train of packets under one set of headers.
     *
     * @param at    offset of its {@code virtio_net_hdr}, with {@link TransmitBatch#HEADROOM} bytes before it
     * @param bytes of that and the frame
     * @return packets in it, at least 1
     */
    int read(ByteBuffer b, int at, int bytes, FrameHandler handler) {
        RawCounter refusal = check(b, at, bytes);
        if (refusal != null) {
            if (refusal != RawCounter.FRAME_NOT_ROCE || !readReturned(b, at + RawDestination.VIRTIO_BYTES,
                    bytes - RawDestination.VIRTIO_BYTES, handler)) {
                counters.count(refusal);
            }
            return 1;
        }
        return switch (roce.version()) {
            case RoceFrame.VERSION_1 -> readV1(b, handler);
            case RoceFrame.VERSION_2_IPV4 -> readIpv4(b, at, handler);
            default -> readIpv6(b, at, handler);
        };
    }

    private RawCounter check(ByteBuffer b, int at, int bytes) {
        if (bytes < RawDestination.VIRTIO_BYTES) {
            return RawCounter.FRAME_TOO_SHORT;
        }
        int verdict = roce.dissectEthernet(b, at + RawDestination.VIRTIO_BYTES, bytes - RawDestination.VIRTIO_BYTES);
        return switch (verdict) {
            case RoceFrame.OK -> types.contains(roce.version() == RoceFrame.VERSION_1 ? GidType.ROCE_V1 : GidType.ROCE_V2) ? null
                : RawCounter.FRAME_NOT_ROCE;
            case RoceFrame.BAD_NETWORK_HEADER -> RawCounter.FRAME_BAD_NETWORK_HEADER;
            case RoceFrame.BAD_IPV4_CHECKSUM -> RawCounter.FRAME_BAD_IPV4_CHECKSUM;
            case RoceFrame.IPV4_OPTIONS -> RawCounter.FRAME_IPV4_OPTIONS;
            case RoceFrame.FRAGMENT -> RawCounter.FRAME_FRAGMENT;
            case RoceFrame.BAD_UDP_LENGTH -> RawCounter.FRAME_BAD_UDP_LENGTH;
            case RoceFrame.TOO_SHORT, RoceFrame.TRUNCATED_ETHERNET -> RawCounter.FRAME_TOO_SHORT;
            default -> RawCounter.FRAME_NOT_ROCE;
        };
    }

    /**
     * Reads an ICMP port unreachable.
     *
     * @return whether the frame is one
     */
    private boolean readReturned(ByteBuffer b, int at, int bytes, FrameHandler handler) {
        if (!returned.dissect(b, at, bytes)) {
            return false;
        }
        int ip = returned.quotedIpAt();
        boolean ipv4 = returned.isIpv4();
        long fromHigh = ipv4 ? Gids.IPV4_MAPPED_HIGH : Ipv6.sourceHigh(b, ip);
        long fromLow = ipv4 ? Gids.lowFromIpv4(Ipv4.source(b, ip)) : Ipv6.sourceLow(b, ip);
        long toHigh = ipv4 ? Gids.IPV4_MAPPED_HIGH : Ipv6.destinationHigh(b, ip);
        long toLow = ipv4 ? Gids.lowFromIpv4(Ipv4.destination(b, ip)) : Ipv6.destinationLow(b, ip);
        Gid local = local(fromHigh, fromLow, toHigh, toLow);
        if (local != null) {
            counters.count(RawCounter.FRAME_RETURNED);
            frame.begin(b, returned.quotedBthAt(), returned.quotedLength()).addresses(local, toHigh, toLow)
                .ports(Udp.DEST_PORT_ROCE, Udp.DEST_PORT_ROCE);
            handler.onReturned(frame);
        }
        return true;
    }

    private int readV1(ByteBuffer b, FrameHandler handler) {
        int grh = roce.ipAt();
        long remoteHigh = Grh.sourceHigh(b, grh);
        long remoteLow = Grh.sourceLow(b, grh);
        Gid local = local(Grh.destinationHigh(b, grh), Grh.destinationLow(b, grh), remoteHigh, remoteLow);
        if (local == null) {
            return 1;
        }
        if (roce.packetLength() > ReceivedFrame.MAX_PACKET_BYTES) {
            counters.count(RawCounter.FRAME_TOO_LONG);
            return 1;
        }
        handler.onFrame(frame.begin(b, roce.bthAt(), roce.packetLength()).roceV1().addresses(local, remoteHigh, remoteLow)
            .trafficClass(Grh.trafficClass(b, grh)).header(Grh.hopLimit(b, grh), false));
        return 1;
    }

    private int readIpv4(ByteBuffer b, int at, FrameHandler handler) {
        int ip = roce.ipAt();
        long remoteLow = Gids.lowFromIpv4(Ipv4.source(b, ip));
        Gid local = local(Gids.IPV4_MAPPED_HIGH, Gids.lowFromIpv4(Ipv4.destination(b, ip)), Gids.IPV4_MAPPED_HIGH, remoteLow);
        return local == null ? 1
            : deliver(b, segmentBytes(b, at), local, Gids.IPV4_MAPPED_HIGH, remoteLow, Ipv4.id(b, ip), Ipv4.tos(b, ip), Ipv4.ttl(b, ip),
                (b.getShort(ip + Ipv4.FRAGMENT_OFFSET) & DF) == 0, handler);
    }

    private int readIpv6(ByteBuffer b, int at, FrameHandler handler) {
        int ip = roce.ipAt();
        long remoteHigh = Ipv6.sourceHigh(b, ip);
        long remoteLow = Ipv6.sourceLow(b, ip);
        Gid local = local(Ipv6.destinationHigh(b, ip), Ipv6.destinationLow(b, ip), remoteHigh, remoteLow);
        return local == null ? 1
            : deliver(b, segmentBytes(b, at), local, remoteHigh, remoteLow, 0, Ipv6.trafficClass(b, ip), Ipv6.hopLimit(b, ip), false,
                handler);
    }

    /** Our address that a frame is sent to; null, and counted, if it is not ours or the source is invalid. */
    private Gid local(long high, long low, long remoteHigh, long remoteLow) {
        if (Gids.isMulticast(remoteHigh, remoteLow) || remoteHigh == 0 && (remoteLow == 0 || remoteLow == Gids.lowFromIpv4(0))) {
            counters.count(RawCounter.FRAME_BAD_SOURCE);
            return null;
        }
        for (Gid each : locals) {
            if (each.low() == low && each.high() == high) {
                return each;
            }
        }
        counters.count(RawCounter.FRAME_OTHER_ADDRESS);
        return null;
    }

    /** Bytes of each packet of an uncut train; 0 for a single packet. */
    private static int segmentBytes(ByteBuffer b, int at) {
        return (b.get(at + RawDestination.VIRTIO_GSO_TYPE) & GSO_TYPE) == RawDestination.GSO_UDP
            ? RawDestination.getNative(b, at + RawDestination.VIRTIO_GSO_BYTES) : 0;
    }

    private int deliver(ByteBuffer b, int segmentBytes, Gid local, long remoteHigh, long remoteLow, int id, int trafficClass, int hopLimit,
            boolean mayFragment, FrameHandler handler) {
        if (segmentBytes != 0 && segmentBytes < MIN_PACKET_BYTES) {
            counters.count(RawCounter.FRAME_TOO_SHORT);
            return 1;
        }
        int sourcePort = Udp.sourcePort(b, roce.udpAt());
        int destPort = Udp.destinationPort(b, roce.udpAt());
        int at = roce.bthAt();
        int end = at + roce.packetLength();
        // One header stands for the whole train: the identifications of its packets are unknown.
        int ipId = segmentBytes == 0 ? id : ReceivedFrame.IP_ID_HIDDEN;
        int packets = 0;
        do {
            int length = segmentBytes == 0 ? end - at : Math.min(segmentBytes, end - at);
            if (length > ReceivedFrame.MAX_PACKET_BYTES) {
                counters.count(RawCounter.FRAME_TOO_LONG);
            } else {
                handler.onFrame(frame.begin(b, at, length).addresses(local, remoteHigh, remoteLow).ports(sourcePort, destPort)
                    .ipId(ipId).trafficClass(trafficClass).header(hopLimit, mayFragment));
            }
            at += length;
            packets++;
        } while (at < end);
        return packets;
    }
}
