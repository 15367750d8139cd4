// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.fault.FaultyLink;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.IpIdSolver;

/** Packets sent as trains must be received unchanged, with ICRCs that fit the identification the kernel assigns to each. */
class TrainsTest {
    private static final Gid ALICE = Gid.ofIpv4(0x7f480001);
    private static final Gid BOB = Gid.ofIpv4(0x7f480002);
    private static final Gid IPV6 = new Gid(0, 1);
    private static final long DEADLINE_NS = 30_000_000_000L;

    private final Icrc icrc = new Icrc();
    private int port;

    @BeforeEach
    void chooseFreePort() throws IOException {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "segmentation offload is Linux's");
        try (DatagramSocket any = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
    }

    private LinuxUdpLink open(boolean offload, Gid address) {
        return new LinuxUdpLink(List.of(address), UdpLinkOptions.DEFAULT.withPort(port).withOffload(offload));
    }

    private int seal(ByteBuffer buffer, int at, int end, Gid from, Gid to) {
        return from.isIpv4Mapped()
            ? icrc.ofIpv4Payload(buffer, at, end, from.ipv4(), to.ipv4(), port, port)
            : icrc.ofIpv6Payload(buffer, at, end, from.high(), from.low(), to.high(), to.low(), port, port);
    }

    /**
     * Fills the batch with sealed packets of the given lengths, BTH to ICRC.
     *
     * @return their contents before the ICRC
     */
    private List<byte[]> fill(TransmitBatch batch, Path path, int... lengths) {
        Random random = new Random(7);
        List<byte[]> contents = new ArrayList<>();
        for (int length : lengths) {
            byte[] content = new byte[length - Icrc.LENGTH];
            random.nextBytes(content);
            contents.add(content);
            int at = batch.begin(path);
            batch.buffer().put(at, content);
            int end = at + content.length;
            Icrc.put(batch.buffer(), end, seal(batch.buffer(), at, end, path.local(), path.remote()));
            batch.commit(length);
        }
        return contents;
    }

    private static int[] mixedLengths() {
        int[] lengths = new int[300];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = i < 150 ? 1072 : i == 150 ? 400 : i < 160 ? 1072 + 4 * (i % 3) : i < 250 ? 64 : 4140;
        }
        return lengths;
    }

    @ParameterizedTest
    @CsvSource({"true,true,false", "true,false,false", "false,true,false", "true,true,true"})
    void shouldArriveWholeAndInOrder(boolean segmentation, boolean coalescing, boolean ipv6) {
        Gid to = ipv6 ? IPV6 : BOB;
        Gid from = ipv6 ? IPV6 : ALICE;
        try (LinuxUdpLink sender = ipv6 ? open(true, IPV6) : open(segmentation, ALICE);
             LinuxUdpLink receiver = ipv6 ? sender : open(coalescing, BOB)) {
            int[] lengths = mixedLengths();
            TransmitBatch batch = new TransmitBatch(lengths.length, 4480);
            List<byte[]> contents = fill(batch, sender.resolve(PathRequest.v2(from, to)), lengths);
            List<byte[]> received = new ArrayList<>();
            IpIdSolver solver = new IpIdSolver();
            int[] highestId = new int[1];
            long deadlineNs = System.nanoTime() + DEADLINE_NS;
            while (received.size() < lengths.length && System.nanoTime() < deadlineNs) {
                sender.send(batch);
                receiver.poll(frame -> {
                    int end = frame.offset() + frame.length() - Icrc.LENGTH;
                    byte[] content = new byte[frame.length() - Icrc.LENGTH];
                    frame.buffer().get(frame.offset(), content);
                    received.add(content);
                    int given = Icrc.get(frame.buffer(), end);
                    int computed = seal(frame.buffer(), frame.offset(), end, from, to);
                    int id = ipv6 ? computed == given ? 0 : -1
                        : solver.solve(computed, given, IpIdSolver.bytesAfterId(frame.offset(), end));
                    assertTrue(id >= 0 && id < 64, "packet " + received.size() + " has a wrong ICRC");
                    highestId[0] = Math.max(highestId[0], id);
                }, 64);
            }
            assertEquals(lengths.length, received.size());
            for (int i = 0; i < lengths.length; i++) {
                assertArrayEquals(contents.get(i), received.get(i), "packet " + i);
            }
            assertEquals(segmentation && !ipv6, highestId[0] > 0, "trains were sent: identifications up to " + highestId[0]);
            assertEquals(0, sender.sendErrors());
        }
    }

    /** The unaffected packets of a batch with faults are still sent in trains. */
    @Test
    void shouldSendTrainsDespiteFaults() {
        try (LinuxUdpLink sender = open(true, ALICE);
             LinuxUdpLink receiver = open(true, BOB)) {
            FaultyLink faulty = new FaultyLink(sender, LinkFaults.parse("drop=0.1,duplicate=0.1,corrupt=0.05,seed=11"), System::nanoTime);
            int[] lengths = mixedLengths();
            TransmitBatch batch = new TransmitBatch(lengths.length, 4480);
            Set<ByteBuffer> contents = new HashSet<>();
            fill(batch, faulty.resolve(PathRequest.v2(ALICE, BOB)), lengths).forEach(each -> contents.add(ByteBuffer.wrap(each)));
            IpIdSolver solver = new IpIdSolver();
            int[] received = new int[1];
            int[] damaged = new int[1];
            int[] highestId = new int[1];
            long expected = Long.MAX_VALUE;
            long deadlineNs = System.nanoTime() + DEADLINE_NS;
            while (received[0] < expected && System.nanoTime() < deadlineNs) {
                if (!batch.isEmpty()) {
                    faulty.send(batch);
                }
                faulty.poll(frame -> { }, 64);
                receiver.poll(frame -> {
                    received[0]++;
                    int end = frame.offset() + frame.length() - Icrc.LENGTH;
                    byte[] content = new byte[frame.length() - Icrc.LENGTH];
                    frame.buffer().get(frame.offset(), content);
                    int id = solver.solve(seal(frame.buffer(), frame.offset(), end, ALICE, BOB), Icrc.get(frame.buffer(), end),
                        IpIdSolver.bytesAfterId(frame.offset(), end));
                    boolean whole = contents.contains(ByteBuffer.wrap(content)) && id >= 0 && id < 64;
                    damaged[0] += whole ? 0 : 1;
                    highestId[0] = Math.max(highestId[0], whole ? id : 0);
                }, 64);
                expected = !batch.isEmpty() ? Long.MAX_VALUE
                    : lengths.length - faulty.counters().get("fault_dropped") + faulty.counters().get("fault_duplicated");
            }
            assertEquals(expected, received[0]);
            assertEquals(faulty.counters().get("fault_corrupted"), damaged[0]);
            assertTrue(damaged[0] > 0 && highestId[0] > 10, damaged[0] + " damaged, identifications up to " + highestId[0]);
            assertEquals(0, faulty.sendErrors());
        }
    }

    @Test
    void shouldRestoreIcrcsOfUnsentPackets() {
        try (LinuxUdpLink sender = open(true, ALICE)) {
            TransmitBatch batch = new TransmitBatch(100, 2048);
            fill(batch, sender.resolve(PathRequest.v2(ALICE, BOB)), IntStream.generate(() -> 1072).limit(100).toArray());
            byte[] before = new byte[batch.buffer().capacity()];
            batch.buffer().get(0, before);
            SendTrains sends = new SendTrains(Arena.ofAuto(), 128, true);
            int messages = sends.describe(batch);
            byte[] described = new byte[before.length];
            batch.buffer().get(0, described);
            sends.trains().settle(batch, 0, messages);
            byte[] after = new byte[before.length];
            batch.buffer().get(0, after);

            assertEquals(2, messages, "65,000 bytes hold 60 packets of 1072");
            assertEquals(60, sends.trains().packets(0));
            assertTrue(!Arrays.equals(before, described), "trains need other ICRCs");
            assertArrayEquals(before, after);
        }
    }
}
