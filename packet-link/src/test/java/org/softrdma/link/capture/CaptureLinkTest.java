// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.LinkProfile;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.link.sim.SimulatedLink;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Icrc;

class CaptureLinkTest {
    private static final Gid A = Gid.ofIpv4(0x0a00_0001);
    private static final Gid B = Gid.ofIpv4(0x0a00_0002);
    private static final Gid A6 = new Gid(0xfd00L << 48, 1);
    private static final Gid B6 = new Gid(0xfd00L << 48, 2);
    private static final FrameHandler IGNORE = frame -> { };

    @TempDir
    private java.nio.file.Path directory;
    private final Icrc icrc = new Icrc();
    private long clockNs = 1_700_000_000_000_000_000L;

    /** Sends one SEND Only of 16 bytes with a good ICRC. */
    private void send(Link link, Path path) {
        TransmitBatch batch = new TransmitBatch(1, 64);
        ByteBuffer b = batch.buffer();
        int bth = batch.begin(path);
        b.putInt(bth, 0x0400_ffff).putInt(bth + 4, 0x11).putInt(bth + 8, 1).putLong(bth + 12, 0x0102_0304_0506_0708L).putLong(bth + 20, 9);
        int end = bth + 28;
        int prefix = path.isIpv4()
            ? Icrc.putIpv4Prefix(b, bth, path.local().ipv4(), path.remote().ipv4(), 0, true, path.sourcePort(), path.destPort(), 32)
            : Icrc.putIpv6Prefix(b, bth, path.local().high(), path.local().low(), path.remote().high(), path.remote().low(),
                path.sourcePort(), path.destPort(), 32);
        Icrc.put(b, end, icrc.overPrefix(b, prefix, bth, end));
        batch.commit(32);
        assertEquals(1, link.send(batch));
    }

    private record Packet(long timestampNs, byte[] bytes) {
        ByteBuffer buffer() {
            return ByteBuffer.wrap(bytes);
        }
    }

    private static List<Packet> read(java.nio.file.Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        List<Packet> packets = new ArrayList<>();
        PcapngReader reader = new PcapngReader(bytes);
        while (reader.next()) {
            byte[] packet = new byte[reader.length()];
            bytes.get(reader.offset(), packet);
            packets.add(new Packet(reader.timestampNs(), packet));
        }
        return packets;
    }

    @Test
    void shouldWriteBothDirectionsWithHeadersThatFitTheIcrc() throws IOException {
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
        LinkProfile hidden = LinkProfile.DEFAULT.withIpHeader(LinkProfile.IpHeader.HIDDEN_RANDOM);
        SimulatedLink peer = fabric.attach(B, B6);
        java.nio.file.Path file = directory.resolve("both.pcapng");
        try (CaptureLink link = new CaptureLink(fabric.attach(hidden, A, A6), file, () -> clockNs)) {
            send(link, link.resolve(PathRequest.v2(A, B).withTrafficClass(0x28)));
            send(link, link.resolve(PathRequest.v2(A6, B6).withTrafficClass(0x28)));
            send(peer, peer.resolve(PathRequest.v2(B, A)));
            send(peer, peer.resolve(PathRequest.v2(B6, A6)));
            fabric.advanceTo(1_000_000);
            clockNs += 5_000;
            List<Integer> lengths = new ArrayList<>();
            assertEquals(2, link.poll(frame -> lengths.add(frame.length()), 10));
            assertEquals(List.of(32, 32), lengths);
            assertEquals(4, link.captured());
        }

        List<Packet> packets = read(file);
        assertEquals(4, packets.size());
        assertEquals(5_000, packets.get(2).timestampNs() - packets.get(1).timestampNs());
        for (int i = 0; i < 4; i += 2) {
            ByteBuffer b = packets.get(i).buffer();
            assertTrue(Ipv4.isValid(b, 14, b.capacity() - 14));
            assertTrue(Ipv4.isChecksumValid(b, 14));
            assertEquals(i == 0 ? A.ipv4() : B.ipv4(), Ipv4.source(b, 14));
            assertEquals(icrc.ofIpv4Frame(b, 14, 42, 70), Icrc.get(b, 70), "packet " + i);
            ByteBuffer b6 = packets.get(i + 1).buffer();
            assertTrue(Ipv6.isValid(b6, 14, b6.capacity() - 14));
            assertEquals(i == 0 ? A6.low() : B6.low(), Ipv6.sourceLow(b6, 14));
            assertEquals(icrc.ofIpv6Frame(b6, 14, 62, 90), Icrc.get(b6, 90), "packet " + i);
        }
        assertEquals(0, Ipv4.id(packets.get(0).buffer(), 14));
        assertEquals(0x28, Ipv4.tos(packets.get(0).buffer(), 14));
        assertTrue(Ipv4.id(packets.get(2).buffer(), 14) != 0, "the identification was solved, one in 65536 is 0");
        assertEquals(0x0200_0a00_0002L, packets.get(0).buffer().getLong(0) >>> 16);
    }

    @Test
    void shouldCaptureDamagedPackets() throws IOException {
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE.withTruncation(1));
        SimulatedLink peer = fabric.attach(B);
        java.nio.file.Path file = directory.resolve("damaged.pcapng");
        int[] bytes = new int[1];
        try (CaptureLink link = new CaptureLink(fabric.attach(LinkProfile.DEFAULT.withIpHeader(LinkProfile.IpHeader.HIDDEN), A), file)) {
            Path path = peer.resolve(PathRequest.v2(B, A));
            for (int i = 0; i < 100; i++) {
                send(peer, path);
            }
            fabric.advanceTo(1_000_000);
            assertEquals(100, link.poll(frame -> bytes[0] += frame.length(), 100));
        }
        List<Packet> packets = read(file);
        assertEquals(100, packets.size());
        assertEquals(bytes[0], packets.stream().mapToInt(p -> p.bytes().length - 42).sum());
    }

    @Test
    void shouldWriteWithin100msOfActivity() throws IOException {
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
        java.nio.file.Path file = directory.resolve("flush.pcapng");
        try (CaptureLink link = new CaptureLink(fabric.attach(A), file, () -> clockNs)) {
            send(link, link.resolve(PathRequest.v2(A, A)));
            clockNs += 99_999_999;
            link.poll(IGNORE, 0);
            assertEquals(0, Files.size(file));
            clockNs += 1;
            link.poll(IGNORE, 0);
            assertEquals(1, read(file).size());
            send(link, link.resolve(PathRequest.v2(A, A)));
            assertEquals(1, read(file).size());
        }
        assertEquals(2, read(file).size());
    }

    @Test
    void shouldWriteWhenTheBufferIsFull() throws IOException {
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
        java.nio.file.Path file = directory.resolve("full.pcapng");
        try (CaptureLink link = new CaptureLink(fabric.attach(A), file, () -> clockNs)) {
            Path path = link.resolve(PathRequest.v2(A, A));
            for (int i = 0; i < 12_000; i++) {
                send(link, path);
            }
            assertTrue(Files.size(file) > 1_000_000);
            assertEquals(12_000, link.captured());
        }
        assertEquals(12_000, read(file).size());
    }

    @Test
    void shouldContinueWithoutCaptureWhenTheDiskIsFull() {
        java.nio.file.Path full = java.nio.file.Path.of("/dev/full");
        assumeTrue(Files.isWritable(full));
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
        SimulatedLink inner = fabric.attach(A);
        try (CaptureLink link = new CaptureLink(inner, full, () -> clockNs)) {
            send(link, link.resolve(PathRequest.v2(A, A)));
            clockNs += 100_000_000;
            assertEquals(0, link.poll(IGNORE, 10));
            send(link, link.resolve(PathRequest.v2(A, A)));
            fabric.advanceTo(1_000_000);
            assertEquals(2, link.poll(IGNORE, 10));
            assertEquals(0, link.captured());
            assertEquals(4, link.missed());
        }
    }

    @Test
    void shouldRefuseAFileItCannotWrite() {
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
        SimulatedLink inner = fabric.attach(A);
        VerbsException refused = assertThrows(VerbsException.class, () -> new CaptureLink(inner, directory.resolve("no/such/directory")));
        assertEquals(Errno.EIO, refused.errno());
        assertFalse(inner.addresses().isEmpty());
    }
}
