// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.IbFrame;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Tcp;
import org.softrdma.wire.pcap.MalformedCaptureException;
import org.softrdma.wire.pcap.Pcapng;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.RoceFrame;

/**
 * Reads pcapng. In a recording each interface is a track. In a capture of another program each packet of RoCE or InfiniBand is one that the
 * queue pair it names received: there is a track for each destination; other packets are left out.
 */
final class CaptureReader {
    private static final int SECTION_HEADER = 0x0A0D_0D0A;
    private static final int LONGEST_PACKET = 1 << 17;

    private final PcapngReader reader;
    private final RoceFrame roce = new RoceFrame();
    private final IbFrame ib = new IbFrame();
    private final Map<Object, Draft> drafts = new LinkedHashMap<>();
    private Recording.Clock clock = Recording.Clock.WALL;
    private int packets;

    /** A track that is being read. */
    private static final class Draft {
        private final Track.Head head;
        private final List<RecordedEvent> events = new ArrayList<>();

        Draft(Track.Head head) {
            this.head = head;
        }
    }

    /** Addresses and ports as a packet has them, and its way on an InfiniBand subnet or null. */
    private record Addresses(Track.Protocol protocol, Gid from, Gid to, int fromPort, int toPort, Track.Subnet way) {
        Addresses(Track.Protocol protocol, Gid from, Gid to, int fromPort, int toPort) {
            this(protocol, from, to, fromPort, toPort, null);
        }

        /** Identity of an end that the packet has one of its addresses of. */
        Track.Head head(Track.Kind kind, String device, long pid, int number, String type, long peer, boolean sent) {
            return sent
                ? new Track.Head(kind, device, pid, protocol, number, type, "", peer, from, to, fromPort, toPort, 0, way)
                : new Track.Head(kind, device, pid, protocol, number, type, "", peer, to, from, toPort, fromPort, 0,
                    way == null ? null : way.reversed());
        }
    }

    /** Destination of the packets of a track in a capture of another program. */
    private record Destination(Gid from, Gid to, int qpn) {
    }

    CaptureReader(ByteBuffer bytes) {
        reader = new PcapngReader(bytes);
    }

    static boolean isCapture(ByteBuffer bytes) {
        return bytes.remaining() >= Integer.BYTES && bytes.getInt(bytes.position()) == SECTION_HEADER;
    }

    /** Whether the bytes are those of the older pcap format, of any byte order and resolution. */
    static boolean isOldCapture(ByteBuffer bytes) {
        return bytes.remaining() >= Integer.BYTES && switch (bytes.getInt(bytes.position())) {
            case 0xA1B2_C3D4, 0xD4C3_B2A1, 0xA1B2_3C4D, 0x4D3C_B2A1 -> true;
            default -> false;
        };
    }

    Recording read() throws MalformedRecordingException {
        try {
            while (reader.next()) {
                packets++;
                readPacket();
            }
        } catch (MalformedCaptureException damaged) {
            throw new MalformedRecordingException(damaged.getMessage());
        }
        if (drafts.isEmpty() && packets > 0) {
            throw new MalformedRecordingException("no packet of RoCE or InfiniBand among the " + packets + " packets of this capture");
        }
        return new Recording(clock, drafts.values().stream().map(draft -> new Track(draft.head, 0, draft.events)).toList());
    }

    private void readPacket() throws MalformedRecordingException {
        if (reader.linkType() != Pcapng.LINK_ETHERNET && reader.linkType() != Pcapng.LINK_RAW_IP
                && reader.linkType() != Pcapng.LINK_ERF) {
            throw new MalformedRecordingException("packet " + packets + " is of link type " + reader.linkType()
                + "; known are 1 (Ethernet), 101 (IP) and 197 (ERF, for InfiniBand)");
        }
        if (reader.originalLength() > LONGEST_PACKET) {
            throw new MalformedRecordingException("packet " + packets + " has " + reader.originalLength() + " bytes");
        }
        CaptureName name = reader.direction() == 0 ? null : CaptureName.parse(reader.interfaceName());
        // The part that was cut off is read as zeros.
        int length = (int) Math.max(reader.originalLength(), reader.length());
        ByteBuffer frame = ByteBuffer.allocate(length).put(0, reader.buffer(), reader.offset(), reader.length());
        if (reader.linkType() == Pcapng.LINK_ERF) {
            if (ib.find(frame, 0, length)) {
                readPacket(name, subnetAddresses(frame), frame, ib.bthAt(), ib.packetLength());
            }
        } else if (roce.dissect(frame, reader.linkType(), 0, length) == RoceFrame.OK) {
            readPacket(name, addresses(frame), frame, roce.bthAt(), roce.packetLength());
        } else if (name != null) {
            readSegment(name, frame, length);
        }
    }

    private void readPacket(CaptureName name, Addresses addresses, ByteBuffer frame, int bthAt, int length) {
        int known = reader.length() - bthAt;
        int headers = name != null && name.kind() == Track.Kind.CONNECTION ? PacketBytes.MAX_HEADERS
            : Opcode.headerLength(Bth.opcode(frame, bthAt));
        if (known >= Bth.LENGTH) {
            add(name, addresses, Bth.destQp(frame, bthAt), frame, bthAt, Math.min(known, headers), length);
        }
    }

    /** Reads a frame of iWARP, which only recordings have one of in each packet. */
    private void readSegment(CaptureName name, ByteBuffer frame, int length) {
        int ip = Ethernet.LENGTH;
        boolean v4 = length >= ip + Ipv4.LENGTH && Ethernet.type(frame, 0) == Ethernet.TYPE_IPV4 && Ipv4.isValid(frame, ip, length - ip);
        boolean v6 = length >= ip + Ipv6.LENGTH && Ethernet.type(frame, 0) == Ethernet.TYPE_IPV6 && Ipv6.isValid(frame, ip, length - ip);
        int tcp = ip + (v4 ? Ipv4.LENGTH : Ipv6.LENGTH);
        int ulpdu = tcp + Tcp.LENGTH + Fpdu.HEADER_LENGTH;
        if (!v4 && !v6 || length < ulpdu || (v4 ? Ipv4.protocol(frame, ip) : Ipv6.nextHeader(frame, ip)) != Tcp.PROTOCOL) {
            return;
        }
        int ulpduLength = Fpdu.ulpduLength(frame, ulpdu - Fpdu.HEADER_LENGTH);
        int kept = Math.min(Math.min(reader.length() - ulpdu, ulpduLength), PacketBytes.MAX_HEADERS);
        if (kept > 0) {
            add(name, new Addresses(Track.Protocol.IWARP, source(frame, ip, v4), destination(frame, ip, v4),
                frame.getShort(tcp) & 0xFFFF, frame.getShort(tcp + 2) & 0xFFFF), 0, frame, ulpdu, kept, ulpduLength);
        }
    }

    private Addresses addresses(ByteBuffer frame) {
        int ip = roce.ipAt();
        return switch (roce.version()) {
            case RoceFrame.VERSION_1 -> new Addresses(Track.Protocol.ROCE_V1, new Gid(Grh.sourceHigh(frame, ip), Grh.sourceLow(frame, ip)),
                new Gid(Grh.destinationHigh(frame, ip), Grh.destinationLow(frame, ip)), 0, 0);
            default -> {
                boolean v4 = roce.version() == RoceFrame.VERSION_2_IPV4;
                yield new Addresses(Track.Protocol.ROCE_V2, source(frame, ip, v4), destination(frame, ip, v4),
                    frame.getShort(roce.udpAt()) & 0xFFFF, frame.getShort(roce.udpAt() + 2) & 0xFFFF);
            }
        };
    }

    private Addresses subnetAddresses(ByteBuffer frame) {
        int lrh = ib.lrhAt();
        int grh = ib.grhAt();
        Track.Subnet way = new Track.Subnet(Lrh.slid(frame, lrh), Lrh.dlid(frame, lrh), Lrh.sl(frame, lrh), Bth.pkey(frame, ib.bthAt()));
        return ib.isRouted()
            ? new Addresses(Track.Protocol.INFINIBAND, new Gid(Grh.sourceHigh(frame, grh), Grh.sourceLow(frame, grh)),
                new Gid(Grh.destinationHigh(frame, grh), Grh.destinationLow(frame, grh)), 0, 0, way)
            : new Addresses(Track.Protocol.INFINIBAND, Gid.ofLid(way.localLid()), Gid.ofLid(way.remoteLid()), 0, 0, way);
    }

    private static Gid source(ByteBuffer frame, int ip, boolean v4) {
        return v4 ? Gid.ofIpv4(Ipv4.source(frame, ip)) : new Gid(Ipv6.sourceHigh(frame, ip), Ipv6.sourceLow(frame, ip));
    }

    private static Gid destination(ByteBuffer frame, int ip, boolean v4) {
        return v4 ? Gid.ofIpv4(Ipv4.destination(frame, ip)) : new Gid(Ipv6.destinationHigh(frame, ip), Ipv6.destinationLow(frame, ip));
    }

    private void add(CaptureName name, Addresses addresses, int qpn, ByteBuffer frame, int at, int kept, int length) {
        boolean sent = name != null && reader.direction() == Pcapng.OUTBOUND;
        Draft draft = name != null
            ? drafts.computeIfAbsent(reader.interfaceId(), key -> new Draft(recorded(name, addresses, sent)))
            : drafts.computeIfAbsent(new Destination(addresses.from(), addresses.to(), qpn),
                key -> new Draft(addresses.head(Track.Kind.QUEUE_PAIR, "capture", 0, qpn, "", Track.Head.UNKNOWN, false)));
        byte[] headers = new byte[kept];
        frame.get(at, headers);
        Gid other = sent ? addresses.to() : addresses.from();
        draft.events.add(new RecordedEvent.Packet(draft.events.size(), reader.timestampNs(), sent, headers, length,
            other.equals(draft.head.remote()) ? null : other, lid(draft.head, addresses, sent), null, false, null, reader.comments()));
    }

    /** LID of the other end, if it is not the track's. */
    private static int lid(Track.Head head, Addresses addresses, boolean sent) {
        if (head.subnet() == null || addresses.way() == null) {
            return 0;
        }
        int other = sent ? addresses.way().remoteLid() : addresses.way().localLid();
        return other == head.subnet().remoteLid() ? 0 : other;
    }

    private Track.Head recorded(CaptureName name, Addresses addresses, boolean sent) {
        clock = name.clock();
        return addresses.head(name.kind(), name.device(), name.pid(), name.number(), name.type(), name.peer(), sent);
    }
}
