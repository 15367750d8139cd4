// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.softrdma.link.sim.Fate;
import org.softrdma.link.sim.PacketObserver;
import org.softrdma.siw.SimulatedTcpNetwork;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Tcp;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.pcap.SynthesizedHeaders;
import org.softrdma.wire.roce.Grh;

/** Puts headers before what is sent on a simulated fabric, and logs the frames. Each packet is logged once, as its sender made it. */
final class FrameLog implements PacketObserver, SimulatedTcpNetwork.Observer {
    /** Result of the source port function for a sender of RoCE v1, which has no ports. */
    static final int NO_PORT = -1;

    private static final int HEADROOM = 128;
    private static final int MOST_BYTES = 1 << 16;

    private final LongSupplier clock;
    private final ToIntFunction<Gid> sourcePort;
    private final PacketLog log;
    private final ByteBuffer frame = ByteBuffer.allocate(HEADROOM + MOST_BYTES);
    /** Bytes that each direction of a TCP connection has sent. */
    private final Map<String, Integer> sent = new HashMap<>();

    /** @param sourcePort UDP source port of a sender, or {@link #NO_PORT} for RoCE v1 */
    FrameLog(LongSupplier clock, ToIntFunction<Gid> sourcePort, PacketLog log) {
        this.clock = clock;
        this.sourcePort = sourcePort;
        this.log = log;
    }

    @Override
    public void onPacket(long nowNs, Gid from, Gid to, ByteBuffer packet, int offset, int length, Fate fate) {
        if (fate != Fate.SENT) {
            return;
        }
        frame.put(HEADROOM, packet, offset, length);
        int port = sourcePort.applyAsInt(from);
        int start = port == NO_PORT ? putGrh(from, to, length) : putUdp(from, to, port, length);
        log.add(nowNs, frame, start, HEADROOM + length - start);
    }

    private int putGrh(Gid from, Gid to, int length) {
        int at = HEADROOM - Grh.LENGTH;
        Grh.put(frame, at, 0, 0, length, Grh.NEXT_HEADER_BTH, SynthesizedHeaders.HOP_LIMIT, from.high(), from.low(), to.high(), to.low());
        return SynthesizedHeaders.putEthernet(frame, at, (int) from.low(), (int) to.low(), Ethernet.TYPE_ROCE_V1);
    }

    private int putUdp(Gid from, Gid to, int port, int length) {
        int udp = HEADROOM - Udp.LENGTH;
        Udp.put(frame, udp, port, Udp.DEST_PORT_ROCE, Udp.LENGTH + length, 0);
        return SynthesizedHeaders.putIpv4(frame, udp - Ipv4.LENGTH, 0, Udp.LENGTH + length, 0, Ipv4.PROTOCOL_UDP, from.ipv4(), to.ipv4());
    }

    @Override
    public void onPiece(InetSocketAddress from, InetSocketAddress to, byte[] bytes) {
        frame.put(HEADROOM, bytes);
        int tcp = HEADROOM - Tcp.LENGTH;
        int sequence = sent.getOrDefault(from + ">" + to, 1);
        Tcp.put(frame, tcp, from.getPort(), to.getPort(), sequence, sent.getOrDefault(to + ">" + from, 1), Tcp.ACK | Tcp.PSH);
        sent.put(from + ">" + to, sequence + bytes.length);
        int ip = tcp - Ipv4.LENGTH;
        int start = SynthesizedHeaders.putIpv4(frame, ip, 0, Tcp.LENGTH + bytes.length, 0, Tcp.PROTOCOL, ipv4(from), ipv4(to));
        Tcp.putChecksum(frame, tcp, ip + Ipv4.SOURCE_OFFSET, 2 * Integer.BYTES, Tcp.LENGTH + bytes.length);
        log.add(clock.getAsLong(), frame, start, HEADROOM + bytes.length - start);
    }

    private static int ipv4(InetSocketAddress of) {
        return ByteBuffer.wrap(of.getAddress().getAddress()).getInt(0);
    }
}
