// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.capture;

import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.softrdma.host.capture.CaptureFile;
import org.softrdma.wire.pcap.Pcapng;
import org.softrdma.wire.pcap.SynthesizedHeaders;
import org.softrdma.link.ForwardingLink;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.IpIdSolver;

/**
 * Writes all packets of another link, in both directions, to a pcapng file for Wireshark. The headers before the BTH are synthesised from
 * what the link knows, as {@link SynthesizedHeaders} says; those of InfiniBand packets are their own. UDP checksums are 0. The IPv4
 * identification of sent packets is 0; if the link hides that of received packets, it is the one that fits the ICRC, or 0 if none does, so
 * that Wireshark reports exactly the wrong ICRCs as wrong.
 *
 * <p>Packets the host refused appear as sent. {@link CaptureFile} says when packets are written to the file.
 */
public final class CaptureLink extends ForwardingLink {
    private static final int ICRC_COVERS_AT_LEAST = 12;

    private final CaptureFile file;
    private final LongSupplier epochNs;
    private final SubnetRecord subnet = new SubnetRecord();
    private final Icrc icrc = new Icrc();
    private final IpIdSolver solver = new IpIdSolver();
    private final FrameHandler capturing = new FrameHandler() {
        @Override
        public void onFrame(ReceivedFrame frame) {
            captureAndDeliver(frame);
        }

        @Override
        public void onReturned(ReceivedFrame packet) {
            receiver.onReturned(packet);
        }
    };
    private FrameHandler receiver;
    /**
     * Starts a capture with the system's clock.
     *
     * @param file is created, or replaced
     */
    public CaptureLink(Link link, java.nio.file.Path file) {
        this(link, file, CaptureFile.systemClock());
    }

    /**
     * Starts a capture.
     *
     * @param link    closed with the capture
     * @param file    is created, or replaced
     * @param epochNs the clock: nanoseconds since 1970; a simulation passes its own
     * @throws VerbsException EIO if the file cannot be written; the link stays open
     */
    public CaptureLink(Link link, java.nio.file.Path file, LongSupplier epochNs) {
        super(link);
        this.epochNs = epochNs;
        this.file = new CaptureFile(file, epochNs, link.description(),
            link.subnetPort() == null ? Pcapng.LINK_ETHERNET : Pcapng.LINK_ERF);
    }

    @Override
    public String description() {
        return link.description() + ", captured to " + file;
    }

    @Override
    public int send(TransmitBatch batch) {
        int first = batch.first();
        int count = link.send(batch);
        // The batch keeps sent packets until it is filled again.
        for (int i = first; i < first + count; i++) {
            Path path = batch.path(i);
            if (path.type() == GidType.IB) {
                subnet.write(file, epochNs.getAsLong(), path, batch.buffer(), batch.offset(i), batch.length(i));
                continue;
            }
            int start = path.type() == GidType.ROCE_V1
                ? putGrh(batch.buffer(), batch.offset(i), batch.length(i), path.local().high(), path.local().low(), path.remote().high(),
                    path.remote().low(), path.trafficClass())
                : path.isIpv4()
                ? putIpv4(batch.buffer(), batch.offset(i), batch.length(i), path.local().ipv4(), path.remote().ipv4(), path.sourcePort(),
                    path.destPort(), path.trafficClass(), 0)
                : putIpv6(batch.buffer(), batch.offset(i), batch.length(i), path.local().high(), path.local().low(), path.remote().high(),
                    path.remote().low(), path.sourcePort(), path.destPort(), path.trafficClass());
            file.write(batch.buffer(), start, batch.offset(i) + batch.length(i) - start);
        }
        file.flushInTime();
        return count;
    }

    /** The file shows all packets as a wire carries them. */
    @Override
    public boolean needsIcrc(Path path) {
        return true;
    }

    /** The file shows packets as they are on a wire. */
    @Override
    public int payloadInMemory(Path path) {
        return 0;
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        receiver = handler;
        int count = link.poll(capturing, limit);
        file.flushInTime();
        return count;
    }

    private void captureAndDeliver(ReceivedFrame frame) {
        if (frame.isOnSubnet()) {
            subnet.write(file, epochNs.getAsLong(), frame);
        } else {
            int start = frame.isRoceV1() ? putReceivedGrh(frame) : frame.isIpv4() ? putReceivedIpv4(frame) : putReceivedIpv6(frame);
            file.write(frame.buffer(), start, frame.offset() + frame.length() - start);
        }
        receiver.onFrame(frame);
    }

    private int putReceivedIpv4(ReceivedFrame frame) {
        boolean hidden = frame.ipId() == ReceivedFrame.IP_ID_HIDDEN;
        int id = hidden ? 0 : frame.ipId();
        int start = putReceivedIpv4(frame, id);
        if (!hidden || frame.length() < ICRC_COVERS_AT_LEAST + Icrc.LENGTH) {
            return start;
        }
        ByteBuffer b = frame.buffer();
        int end = frame.offset() + frame.length() - Icrc.LENGTH;
        int withZero = icrc.ofIpv4Frame(b, start + Ethernet.LENGTH, frame.offset(), end);
        id = solver.solve(withZero, Icrc.get(b, end), IpIdSolver.bytesAfterId(frame.offset(), end));
        return id <= 0 ? start : putReceivedIpv4(frame, id);
    }

    private static int putReceivedIpv4(ReceivedFrame frame, int id) {
        return putIpv4(frame.buffer(), frame.offset(), frame.length(), (int) frame.remoteLow(), frame.local().ipv4(), frame.sourcePort(),
            frame.destPort(), frame.trafficClass(), id);
    }

    private static int putReceivedIpv6(ReceivedFrame frame) {
        return putIpv6(frame.buffer(), frame.offset(), frame.length(), frame.remoteHigh(), frame.remoteLow(), frame.local().high(),
            frame.local().low(), frame.sourcePort(), frame.destPort(), frame.trafficClass());
    }

    private static int putReceivedGrh(ReceivedFrame frame) {
        return putGrh(frame.buffer(), frame.offset(), frame.length(), frame.remoteHigh(), frame.remoteLow(), frame.local().high(),
            frame.local().low(), frame.trafficClass());
    }

    /**
     * Writes Ethernet, IPv4 and UDP headers into the headroom.
     *
     * @return offset of the Ethernet header
     */
    private static int putIpv4(ByteBuffer b, int bthAt, int length, int from, int to, int sourcePort, int destPort, int trafficClass,
            int id) {
        int udp = bthAt - Udp.LENGTH;
        Udp.put(b, udp, sourcePort, destPort, Udp.LENGTH + length, 0);
        return SynthesizedHeaders.putIpv4(b, udp - Ipv4.LENGTH, trafficClass, Udp.LENGTH + length, id, Ipv4.PROTOCOL_UDP, from, to);
    }

    private static int putIpv6(ByteBuffer b, int bthAt, int length, long fromHigh, long fromLow, long toHigh, long toLow, int sourcePort,
            int destPort, int trafficClass) {
        int udp = bthAt - Udp.LENGTH;
        Udp.put(b, udp, sourcePort, destPort, Udp.LENGTH + length, 0);
        return SynthesizedHeaders.putIpv6(b, udp - Ipv6.LENGTH, trafficClass, Udp.LENGTH + length, Ipv4.PROTOCOL_UDP, fromHigh, fromLow,
            toHigh, toLow);
    }

    private static int putGrh(ByteBuffer b, int bthAt, int length, long fromHigh, long fromLow, long toHigh, long toLow,
            int trafficClass) {
        int grh = bthAt - Grh.LENGTH;
        Grh.put(b, grh, trafficClass, 0, length, Grh.NEXT_HEADER_BTH, SynthesizedHeaders.HOP_LIMIT, fromHigh, fromLow, toHigh, toLow);
        return SynthesizedHeaders.putEthernet(b, grh, (int) fromLow, (int) toLow, Ethernet.TYPE_ROCE_V1);
    }

    /** Packets in the file or in the buffer. */
    public long captured() {
        return file.captured();
    }

    /** Packets sent or received but not captured because writing failed. */
    public long missed() {
        return file.missed();
    }

    @Override
    public void await(long timeoutNs) {
        file.flushInTime();
        link.await(timeoutNs);
    }

    /** Closes the link, writes the rest of the buffer, and closes the file. */
    @Override
    public void close() {
        link.close();
        file.close();
    }
}
