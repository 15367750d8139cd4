// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.Reemission;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.pcap.PcapngReader;

/** Frames two Linux 6.1 rxe guests exchanged, recorded by interop-tests/lab/golden/record. */
class KernelCaptureTest {
    static List<Path> captures() throws IOException, URISyntaxException {
        Path directory = Path.of(KernelCaptureTest.class.getResource("/golden").toURI());
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".pcapng")).sorted().toList();
        }
    }

    private static ByteBuffer read(Path capture) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(capture));
    }

    @Test
    void shouldHaveCapturesOfBothNetworksAndAllKindsOfPacket() throws IOException, URISyntaxException {
        TreeSet<Integer> opcodes = new TreeSet<>();
        TreeSet<Integer> versions = new TreeSet<>();
        TreeSet<Integer> syndromes = new TreeSet<>();
        for (Path capture : captures()) {
            PcapngReader reader = new PcapngReader(read(capture));
            RoceFrame frame = new RoceFrame();
            while (reader.next()) {
                frame.dissect(reader.buffer(), reader.linkType(), reader.offset(), reader.length());
                versions.add(frame.version());
                int opcode = Bth.opcode(reader.buffer(), frame.bthAt());
                opcodes.add(opcode);
                if (Opcode.has(opcode, Opcode.AETH)) {
                    syndromes.add(Aeth.syndrome(reader.buffer(), frame.bthAt() + Opcode.aethOffset(opcode)));
                }
            }
        }
        assertTrue(versions.containsAll(List.of(RoceFrame.VERSION_2_IPV4, RoceFrame.VERSION_2_IPV6)), versions.toString());
        assertTrue(opcodes.containsAll(List.of(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_LAST, Opcode.RC_SEND_ONLY,
            Opcode.RC_SEND_ONLY_WITH_IMMEDIATE, Opcode.RC_SEND_ONLY_WITH_INVALIDATE, Opcode.RC_RDMA_WRITE_FIRST, Opcode.RC_RDMA_WRITE_ONLY,
            Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, Opcode.RC_RDMA_READ_REQUEST, Opcode.RC_RDMA_READ_RESPONSE_FIRST,
            Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, Opcode.RC_RDMA_READ_RESPONSE_ONLY, Opcode.RC_ACKNOWLEDGE, Opcode.RC_ATOMIC_ACKNOWLEDGE,
            Opcode.RC_COMPARE_SWAP, Opcode.RC_FETCH_ADD, Opcode.UC_SEND_FIRST, Opcode.UC_RDMA_WRITE_FIRST, Opcode.UD_SEND_ONLY,
            Opcode.UD_SEND_ONLY_WITH_IMMEDIATE)), opcodes.toString());
        assertTrue(syndromes.containsAll(List.of(Syndrome.ACK_UNLIMITED, Syndrome.NAK_PSN_SEQUENCE, Syndrome.NAK_REMOTE_ACCESS)),
            syndromes.toString());
        assertTrue(syndromes.stream().anyMatch(Syndrome::isRnr), syndromes.toString());
    }

    @ParameterizedTest
    @MethodSource("captures")
    void shouldDissectVerifyAndReemitEveryFrame(Path capture) throws IOException {
        PcapngReader reader = new PcapngReader(read(capture));
        RoceFrame frame = new RoceFrame();
        Icrc icrc = new Icrc();
        int packets = 0;
        while (reader.next()) {
            ByteBuffer b = reader.buffer();
            String what = capture.getFileName() + " packet " + ++packets;
            assertEquals(reader.originalLength(), reader.length(), what);
            int verdict = frame.dissect(b, reader.linkType(), reader.offset(), reader.length());
            assertEquals("ok", RoceFrame.name(verdict), what);
            assertEquals("ok", PacketCheck.name(PacketCheck.verdict(b, frame.bthAt(), frame.packetLength())), what);
            assertEquals(Icrc.get(b, frame.end()), frame.computeIcrc(b, icrc), what);
            assertEquals(Icrc.get(b, frame.end()), overPrefix(b, frame, icrc), what);
            Reemission.assertIdentical(b, reader.linkType(), reader.offset(), reader.length());
        }
        assertTrue(packets > 0, capture + " is empty");
    }

    @ParameterizedTest
    @MethodSource("captures")
    void shouldSolveTheIpIdOfEveryIpv4Frame(Path capture) throws IOException {
        PcapngReader reader = new PcapngReader(read(capture));
        RoceFrame frame = new RoceFrame();
        Icrc icrc = new Icrc();
        IpIdSolver solver = new IpIdSolver();
        while (reader.next()) {
            ByteBuffer b = reader.buffer();
            frame.dissect(b, reader.linkType(), reader.offset(), reader.length());
            if (frame.version() == RoceFrame.VERSION_2_IPV4) {
                int id = Ipv4.id(b, frame.ipAt());
                b.putShort(frame.ipAt() + Ipv4.ID_OFFSET, (short) 0);
                int zero = frame.computeIcrc(b, icrc);
                int after = IpIdSolver.bytesAfterId(frame.bthAt(), frame.end());
                assertEquals(id, solver.solve(zero, Icrc.get(b, frame.end()), after));
                int bit = frame.bthAt() + Bth.PSN_OFFSET;
                b.put(bit, (byte) (b.get(bit) ^ 1));
                assertNotEquals(id, solver.solve(frame.computeIcrc(b, icrc), Icrc.get(b, frame.end()), after), "damaged");
            }
        }
    }

    /** The way of a UDP socket: a buffer with headroom, headers known from the connection. */
    private static int overPrefix(ByteBuffer b, RoceFrame frame, Icrc icrc) {
        int headroom = Icrc.IPV6_PREFIX_LENGTH;
        int packet = frame.packetLength();
        ByteBuffer own = Bytes.filled(headroom + packet);
        own.put(headroom, b, frame.bthAt(), packet);
        int ip = frame.ipAt();
        int udp = frame.udpAt();
        int prefixAt = frame.version() == RoceFrame.VERSION_2_IPV4
            ? Icrc.putIpv4Prefix(own, headroom, Ipv4.source(b, ip), Ipv4.destination(b, ip), Ipv4.id(b, ip), Ipv4.dontFragment(b, ip),
                Udp.sourcePort(b, udp), Udp.destinationPort(b, udp), packet)
            : Icrc.putIpv6Prefix(own, headroom, Ipv6.sourceHigh(b, ip), Ipv6.sourceLow(b, ip), Ipv6.destinationHigh(b, ip),
                Ipv6.destinationLow(b, ip), Udp.sourcePort(b, udp), Udp.destinationPort(b, udp), packet);
        return icrc.overPrefix(own, prefixAt, headroom, own.capacity() - Icrc.LENGTH);
    }
}
