// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.softrdma.lab.ladder.Arrow;
import org.softrdma.lab.ladder.Ladder;
import org.softrdma.wire.ib.IbFrame;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Tcp;
import org.softrdma.wire.pcap.MalformedCaptureException;
import org.softrdma.wire.pcap.Pcapng;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.RoceFrame;

/** A capture file: its RoCE, InfiniBand and iWARP packets as a ladder, one lane for each address. */
public final class RecordedWorld implements World {
    private static final int MAX_LANES = 64;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int TCP_OFFSET_SHIFT = 4;

    private final String name;
    private final Ladder ladder = new Ladder();
    private final RoceFrame roce = new RoceFrame();
    private final IbFrame ib = new IbFrame();
    /** Number of the lane of each address, or LID of InfiniBand. */
    private final Map<String, Integer> lanes = new LinkedHashMap<>();
    private final Map<String, Integer> others = new TreeMap<>();
    /** Next sequence number of each direction of a TCP connection. */
    private final Map<String, Long> nextSequence = new HashMap<>();
    private long firstNs;
    private long lastNs;
    private boolean any;

    /**
     * Reads a file.
     *
     * @param name for people
     * @param file pcapng
     * @throws IllegalArgumentException if it is damaged, of another format, or has no packet of RDMA; the message says which
     */
    public RecordedWorld(String name, byte[] file) {
        this.name = name;
        try {
            read(new PcapngReader(ByteBuffer.wrap(file)));
        } catch (MalformedCaptureException damaged) {
            throw new IllegalArgumentException(name + ": " + damaged.getMessage() + (ladder.arrows().isEmpty() ? ""
                : "; the " + ladder.arrows().size() + " packets before that are fine"), damaged);
        }
        if (ladder.arrows().isEmpty()) {
            throw new IllegalArgumentException(name + " has no packet of RoCE, InfiniBand or iWARP"
                + (others.isEmpty() ? "" : "; other packets: " + others));
        }
    }

    private void read(PcapngReader reader) {
        while (reader.next()) {
            String other = switch (reader.linkType()) {
                case Pcapng.LINK_ETHERNET, Pcapng.LINK_RAW_IP -> readFrame(reader);
                case Pcapng.LINK_ERF -> readRecord(reader);
                default -> "link type " + reader.linkType() + " (Ethernet is 1, raw IP 101, ERF 197)";
            };
            if (other != null) {
                others.merge(other, 1, Integer::sum);
            }
        }
    }

    private void readTime(PcapngReader reader) {
        if (!any) {
            firstNs = reader.timestampNs();
            any = true;
        }
        lastNs = reader.timestampNs() - firstNs;
    }

    /** Reads a packet of Ethernet or IP, and returns what it is if it is none of RDMA. */
    private String readFrame(PcapngReader reader) {
        readTime(reader);
        int verdict = roce.dissect(reader.buffer(), reader.linkType(), reader.offset(), reader.length());
        if (verdict == RoceFrame.OK) {
            addRoce(reader.buffer());
            return null;
        }
        return addTcp(reader) ? null : RoceFrame.name(verdict);
    }

    /** Reads a packet of InfiniBand, and returns what it is if it is another one. */
    private String readRecord(PcapngReader reader) {
        readTime(reader);
        if (!ib.find(reader.buffer(), reader.offset(), reader.length())) {
            return "no InfiniBand packet with a BTH";
        }
        addInfiniBand(reader.buffer());
        return null;
    }

    private void addRoce(ByteBuffer b) {
        boolean ipv4 = roce.version() == RoceFrame.VERSION_2_IPV4;
        // GRH and IPv6 have their addresses at the same places.
        int from = lane(b, roce.ipAt() + (ipv4 ? Ipv4.SOURCE_OFFSET : Grh.SOURCE_OFFSET), ipv4 ? IPV4_BYTES : IPV6_BYTES);
        int to = lane(b, roce.ipAt() + (ipv4 ? Ipv4.DESTINATION_OFFSET : Grh.DESTINATION_OFFSET), ipv4 ? IPV4_BYTES : IPV6_BYTES);
        add(from, to, b, roce.bthAt(), roce.packetLength());
    }

    private void addInfiniBand(ByteBuffer b) {
        int from = ib.isRouted() ? lane(b, ib.grhAt() + Grh.SOURCE_OFFSET, IPV6_BYTES) : lane("LID " + Lrh.slid(b, ib.lrhAt()));
        int to = ib.isRouted() ? lane(b, ib.grhAt() + Grh.DESTINATION_OFFSET, IPV6_BYTES) : lane("LID " + Lrh.dlid(b, ib.lrhAt()));
        add(from, to, b, ib.bthAt(), ib.packetLength());
    }

    private void add(int from, int to, ByteBuffer b, int at, int length) {
        byte[] bytes = new byte[length];
        b.get(at, bytes);
        ladder.addCaptured(lastNs, from, to, bytes, false, "");
    }

    /** Adds the payload of an IPv4 TCP segment, if the connection speaks MPA. */
    private boolean addTcp(PcapngReader reader) {
        ByteBuffer b = reader.buffer();
        int ip = reader.offset() + (reader.linkType() == Pcapng.LINK_ETHERNET ? Ethernet.LENGTH : 0);
        int end = reader.offset() + reader.length();
        if (ip + Ipv4.LENGTH + Tcp.LENGTH > end || Ipv4.version(b, ip) != 4 || Ipv4.protocol(b, ip) != Tcp.PROTOCOL) {
            return false;
        }
        int tcp = ip + Ipv4.headerLength(b, ip);
        if (tcp + Tcp.LENGTH > end) {
            return false;
        }
        int payload = tcp + (b.get(tcp + 12) >> TCP_OFFSET_SHIFT & 0xf) * Integer.BYTES;
        int length = Math.min(end, ip + Ipv4.totalLength(b, ip)) - payload;
        int from = lane(b, ip + Ipv4.SOURCE_OFFSET, IPV4_BYTES);
        int to = lane(b, ip + Ipv4.DESTINATION_OFFSET, IPV4_BYTES);
        String connection = from + ":" + b.getShort(tcp) + ">" + to + ":" + b.getShort(tcp + 2);
        long sequence = Integer.toUnsignedLong(b.getInt(tcp + 4));
        if (length <= 0) {
            return true;
        }
        Long next = nextSequence.get(connection);
        if (next != null && next != sequence) {
            // Repeated or reordered by TCP: shown once.
            return true;
        }
        nextSequence.put(connection, sequence + length & 0xffffffffL);
        byte[] bytes = new byte[length];
        b.get(payload, bytes);
        ladder.onStream(lastNs, from, to, connection, bytes);
        ladder.onStreamTaken(lastNs, connection, length);
        return true;
    }

    private int lane(ByteBuffer b, int at, int length) {
        byte[] bytes = new byte[length];
        b.get(at, bytes);
        try {
            return lane(InetAddress.getByAddress(bytes).getHostAddress());
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private int lane(String address) {
        return lanes.computeIfAbsent(address, absent -> Math.min(lanes.size(), MAX_LANES - 1));
    }

    @Override
    public Map<String, Object> news(Cursor seen) {
        Map<String, Object> news = new LinkedHashMap<>();
        news.put("kind", "recording");
        news.put("name", name);
        news.put("now", lastNs);
        news.put("lanes", lanes.keySet().stream().limit(MAX_LANES).toList());
        news.put("hosts", List.of());
        news.put("others", others);
        LadderNews.add(ladder, seen, news);
        return news;
    }

    public Ladder ladder() {
        return ladder;
    }

    @Override
    public Arrow arrow(int id) {
        if (id < 0 || id >= ladder.arrows().size()) {
            throw new IllegalArgumentException("there is no packet " + id);
        }
        return ladder.arrows().get(id);
    }

    @Override
    public void close() {
    }
}
