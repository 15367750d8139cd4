// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.Vcrc;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Tcp;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.pcap.Pcapng;
import org.softrdma.wire.pcap.SynthesizedHeaders;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.RoceFrame;

/**
 * Writes a recording as pcapng: an interface for each track, and each packet with its comments. The headers before the BTH, or before the
 * frame of iWARP, are {@link SynthesizedHeaders}, those of InfiniBand a {@link SubnetFrame}; TCP sequence numbers count from 1 in both
 * directions. Payload, which is not recorded, is written as zeros, because Wireshark calls packets without it malformed; the ICRC is that
 * of the packet as written, the CRC of iWARP 0.
 */
final class CaptureWriter {
    private static final int IPV6_ADDRESSES = 32;
    /** Longest packet that fits an IP packet with all headers. */
    private static final int LONGEST_PACKET = 65_000;
    private static final int HEADROOM = Ethernet.LENGTH + Ipv6.LENGTH + Tcp.LENGTH + Fpdu.HEADER_LENGTH;

    private final Recording recording;
    private final Map<Track, Stream> streams = new IdentityHashMap<>();
    private final RoceFrame roce = new RoceFrame();
    private final Icrc icrc = new Icrc();

    /** Interface of a track, and the position in the two directions of its TCP connection. */
    private static final class Stream {
        private final int interfaceId;
        private int sent = 1;
        private int received = 1;

        Stream(int interfaceId) {
            this.interfaceId = interfaceId;
        }
    }

    CaptureWriter(Recording recording) {
        this.recording = recording;
    }

    void write(OutputStream out) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(Pcapng.SECTION_HEADER_LENGTH);
        Pcapng.putSectionHeader(block, 0);
        out.write(block.array());
        for (Track track : recording.tracks()) {
            streams.put(track, new Stream(streams.size()));
            ByteBuffer description = ByteBuffer.allocate(1024);
            out.write(description.array(), 0, Pcapng.putInterface(description, 0, linkType(track), 0, name(track)));
        }
        for (Commentary.Commented packet : new Commentary(recording).packets()) {
            write(packet, out);
        }
    }

    private static int linkType(Track track) {
        return track.head().protocol() == Track.Protocol.INFINIBAND ? Pcapng.LINK_ERF : Pcapng.LINK_ETHERNET;
    }

    private String name(Track track) {
        return CaptureName.of(track.head(), recording.clock());
    }

    private void write(Commentary.Commented commented, OutputStream out) throws IOException {
        Track track = commented.track();
        RecordedEvent.Packet packet = commented.packet();
        int length = lengthOf(track, packet);
        int bytes = switch (track.head().protocol()) {
            case IWARP -> Fpdu.length(length) - Fpdu.HEADER_LENGTH;
            case INFINIBAND -> length + Vcrc.LENGTH;
            default -> length;
        };
        ByteBuffer frame = ByteBuffer.allocate(HEADROOM + bytes);
        frame.put(HEADROOM, packet.headers(), 0, Math.min(packet.headers().length, length));
        int start = putHeaders(frame, track, packet, length);
        if (roce.dissectEthernet(frame, start, frame.capacity() - start) == RoceFrame.OK) {
            Icrc.put(frame, roce.end(), roce.computeIcrc(frame, icrc));
            if (roce.version() == RoceFrame.VERSION_2_IPV6) {
                Udp.putChecksum(frame, roce.udpAt(), roce.ipAt() + Ipv6.SOURCE_OFFSET, IPV6_ADDRESSES);
            }
        }
        List<byte[]> comments = new ArrayList<>();
        commented.comments().forEach(comment -> comments.add(utf8(comment)));
        int captured = frame.capacity() - start;
        ByteBuffer block = ByteBuffer.allocate(Pcapng.packetBlockLength(captured, comments));
        Pcapng.putPacket(block, 0, streams.get(track).interfaceId, packet.timeNs(), frame, start, captured,
            captured, packet.sent() ? Pcapng.OUTBOUND : Pcapng.INBOUND, comments);
        out.write(block.array());
    }

    private static int lengthOf(Track track, RecordedEvent.Packet packet) {
        return track.head().protocol() == Track.Protocol.INFINIBAND ? SubnetFrame.lengthOf(packet.length())
            : Math.min(packet.length(), LONGEST_PACKET);
    }

    private static byte[] utf8(String comment) {
        byte[] bytes = comment.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= Pcapng.MAX_COMMENT ? bytes : Arrays.copyOf(bytes, Pcapng.MAX_COMMENT);
    }

    /**
     * Writes the headers before those that were recorded.
     *
     * @param length bytes from the BTH to the ICRC, or of the ULPDU
     * @return offset of the Ethernet header, or of the record of InfiniBand
     */
    private int putHeaders(ByteBuffer frame, Track track, RecordedEvent.Packet packet, int length) {
        Track.Head head = track.head();
        Gid local = head.local() == null ? Gid.ofIpv4(0) : head.local();
        Gid other = packet.remote() != null ? packet.remote() : head.remote();
        Gid remote = other == null ? local.isIpv4Mapped() ? Gid.ofIpv4(0) : Gid.ZERO : other;
        Gid from = packet.sent() ? local : remote;
        Gid to = packet.sent() ? remote : local;
        return switch (head.protocol()) {
            case ROCE_V1 -> putGrh(frame, from, to, length);
            case ROCE_V2 -> putUdp(frame, packet.sent() ? head.localPort() : head.remotePort(), from, to, length);
            case INFINIBAND -> SubnetFrame.put(frame, HEADROOM, length, way(head.subnet(), packet), from, to, packet.timeNs());
            case IWARP -> putTcp(frame, track, packet.sent(), from, to, length);
        };
    }

    private static int putGrh(ByteBuffer frame, Gid from, Gid to, int length) {
        int grh = HEADROOM - Grh.LENGTH;
        Grh.put(frame, grh, 0, 0, length, Grh.NEXT_HEADER_BTH, SynthesizedHeaders.HOP_LIMIT, from.high(), from.low(), to.high(), to.low());
        return SynthesizedHeaders.putEthernet(frame, grh, (int) from.low(), (int) to.low(), Ethernet.TYPE_ROCE_V1);
    }

    /** The way of a packet, from its sender to its receiver. */
    private static Track.Subnet way(Track.Subnet subnet, RecordedEvent.Packet packet) {
        Track.Subnet way = packet.lid() == 0 ? subnet
            : new Track.Subnet(subnet.localLid(), packet.lid(), subnet.serviceLevel(), subnet.pkey());
        return packet.sent() ? way : way.reversed();
    }

    /** All packets of RoCE go to its port. */
    private static int putUdp(ByteBuffer frame, int source, Gid from, Gid to, int length) {
        int udp = HEADROOM - Udp.LENGTH;
        Udp.put(frame, udp, source == 0 ? Udp.DEST_PORT_ROCE : source, Udp.DEST_PORT_ROCE, Udp.LENGTH + length, 0);
        return putIp(frame, udp, Udp.LENGTH + length, Ipv4.PROTOCOL_UDP, from, to);
    }

    private int putTcp(ByteBuffer frame, Track track, boolean sent, Gid from, Gid to, int length) {
        Track.Head head = track.head();
        Stream stream = streams.get(track);
        Fpdu.putUlpduLength(frame, HEADROOM - Fpdu.HEADER_LENGTH, length);
        int tcp = HEADROOM - Fpdu.HEADER_LENGTH - Tcp.LENGTH;
        int payload = Fpdu.length(length);
        if (sent) {
            Tcp.put(frame, tcp, head.localPort(), head.remotePort(), stream.sent, stream.received, Tcp.ACK | Tcp.PSH);
            stream.sent += payload;
        } else {
            Tcp.put(frame, tcp, head.remotePort(), head.localPort(), stream.received, stream.sent, Tcp.ACK | Tcp.PSH);
            stream.received += payload;
        }
        return putIp(frame, tcp, Tcp.LENGTH + payload, Tcp.PROTOCOL, from, to);
    }

    private static int putIp(ByteBuffer frame, int before, int payload, int protocol, Gid from, Gid to) {
        return from.isIpv4Mapped() && to.isIpv4Mapped()
            ? SynthesizedHeaders.putIpv4(frame, before - Ipv4.LENGTH, 0, payload, 0, protocol, from.ipv4(), to.ipv4())
            : SynthesizedHeaders.putIpv6(frame, before - Ipv6.LENGTH, 0, payload, protocol, from.high(), from.low(), to.high(), to.low());
    }
}
