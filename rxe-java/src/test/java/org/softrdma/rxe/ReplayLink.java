// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.softrdma.link.ForwardingLink;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.LinkProfile;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.RoceFrame;

/** Delivers frames of a capture as a UDP socket would, without their IP headers, and records sent packets. */
final class ReplayLink extends ForwardingLink {
    /** One captured frame: BTH to ICRC, and the fields of earlier headers that a socket shows. */
    record Frame(byte[] bytes, Gid from, Gid to, int sourcePort) {
        /** Bytes without the ICRC, which covers fields that differ between senders: IP identification and UDP port. */
        byte[] withoutIcrc() {
            return Arrays.copyOf(bytes, bytes.length - 4);
        }
    }

    final List<byte[]> sent = new ArrayList<>();
    private final ArrayDeque<Frame> toReceive = new ArrayDeque<>();
    private final ReceivedFrame frame = new ReceivedFrame();

    ReplayLink(Gid local) {
        super(new SimulatedFabric(0, FaultPlan.NONE).attach(LinkProfile.DEFAULT.withIpHeader(LinkProfile.IpHeader.HIDDEN), local));
    }

    /** The RoCE frames of one of the kernel captures in wire-formats. */
    static List<Frame> capture(String name) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(Path.of("..", "wire-formats", "src", "test", "resources", "golden", name
            + ".pcapng")));
        PcapngReader reader = new PcapngReader(file);
        RoceFrame roce = new RoceFrame();
        List<Frame> frames = new ArrayList<>();
        while (reader.next()) {
            ByteBuffer b = reader.buffer();
            if (roce.dissect(b, reader.linkType(), reader.offset(), reader.length()) != RoceFrame.OK) {
                throw new AssertionError(name + " has a frame that is no RoCE");
            }
            byte[] bytes = new byte[roce.packetLength()];
            b.get(roce.bthAt(), bytes);
            int ip = roce.ipAt();
            boolean ipv4 = roce.version() == RoceFrame.VERSION_2_IPV4;
            frames.add(new Frame(bytes,
                ipv4 ? Gid.ofIpv4(Ipv4.source(b, ip)) : new Gid(Ipv6.sourceHigh(b, ip), Ipv6.sourceLow(b, ip)),
                ipv4 ? Gid.ofIpv4(Ipv4.destination(b, ip)) : new Gid(Ipv6.destinationHigh(b, ip), Ipv6.destinationLow(b, ip)),
                Udp.sourcePort(b, roce.udpAt())));
        }
        return frames;
    }

    void replay(List<Frame> frames) {
        toReceive.addAll(frames);
    }

    @Override
    public org.softrdma.link.Path resolve(PathRequest request) {
        return new org.softrdma.link.Path(request.local(), request.remote(), Udp.DEST_PORT_ROCE, Udp.DEST_PORT_ROCE,
            request.trafficClass(), request.hopLimit(), null);
    }

    @Override
    public int send(TransmitBatch batch) {
        int count = batch.end() - batch.first();
        for (int i = batch.first(); i < batch.end(); i++) {
            byte[] bytes = new byte[batch.length(i)];
            batch.buffer().get(batch.offset(i), bytes);
            sent.add(bytes);
        }
        batch.sent(count);
        return count;
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        int count = 0;
        for (Frame next = toReceive.poll(); next != null; next = toReceive.poll()) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(TransmitBatch.HEADROOM + next.bytes.length);
            buffer.put(TransmitBatch.HEADROOM, next.bytes);
            handler.onFrame(frame.begin(buffer, TransmitBatch.HEADROOM, next.bytes.length)
                .addresses(next.to, next.from.high(), next.from.low()).ports(next.sourcePort, Udp.DEST_PORT_ROCE));
            count++;
        }
        return count;
    }
}
