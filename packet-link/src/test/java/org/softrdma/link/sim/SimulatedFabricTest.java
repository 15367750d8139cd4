// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.IpIdSolver;

class SimulatedFabricTest {
    private static final Gid A = Gid.ofIpv4(0x0a00_0001);
    private static final Gid B = Gid.ofIpv4(0x0a00_0002);
    private static final Gid C = Gid.ofIpv4(0x0a00_0003);
    private static final Gid C6 = new Gid(0xfd00L << 48, 3);
    private static final FaultPlan FAST = FaultPlan.NONE.withDelay(100, 100);

    private static byte[] numbered(int number, int length) {
        return ByteBuffer.wrap(new byte[length]).putInt(0, number).array();
    }

    private static void send(SimulatedLink link, Path path, int first, int count, int length) {
        TransmitBatch batch = new TransmitBatch(count, length);
        for (int i = 0; i < count; i++) {
            batch.buffer().put(batch.begin(path), numbered(first + i, length));
            batch.commit(length);
        }
        assertEquals(count, link.send(batch));
        assertTrue(batch.isEmpty());
    }

    private static List<byte[]> drain(SimulatedFabric fabric, SimulatedLink link) {
        while (fabric.step()) {
            continue;
        }
        return poll(link);
    }

    private static List<byte[]> poll(SimulatedLink link) {
        List<byte[]> all = new ArrayList<>();
        link.poll(frame -> {
            byte[] bytes = new byte[frame.length()];
            frame.buffer().get(frame.offset(), bytes);
            all.add(bytes);
        }, Integer.MAX_VALUE);
        return all;
    }

    private static List<Integer> numbers(List<byte[]> packets) {
        return packets.stream().map(bytes -> ByteBuffer.wrap(bytes).getInt(0)).toList();
    }

    private static List<Integer> range(int from, int to) {
        List<Integer> all = new ArrayList<>();
        for (int i = from; i < to; i++) {
            all.add(i);
        }
        return all;
    }

    @Test
    void shouldDeliverWhatWasSentAfterTheDelay() {
        SimulatedFabric fabric = new SimulatedFabric(1, FAST);
        SimulatedLink a = fabric.attach(A, C6);
        SimulatedLink b = fabric.attach(B);
        Path path = a.resolve(PathRequest.v2(A, B).withTrafficClass(0x40));
        TransmitBatch batch = new TransmitBatch(1, 64);
        batch.buffer().put(batch.begin(path), numbered(7, 33));
        batch.commit(33);
        a.send(batch);
        batch.buffer().putInt(TransmitBatch.HEADROOM, 999);

        assertEquals(100, fabric.nextEventNs());
        assertFalse(b.hasMail());
        fabric.advanceTo(99);
        assertFalse(b.hasMail());
        fabric.advanceTo(100);
        assertTrue(b.hasMail());
        assertEquals(Long.MAX_VALUE, fabric.nextEventNs());
        int polled = b.poll(frame -> {
            assertEquals(33, frame.length());
            assertEquals(7, frame.buffer().getInt(frame.offset()), "the packet is a copy");
            assertEquals(B, frame.local());
            assertEquals(A, new Gid(frame.remoteHigh(), frame.remoteLow()));
            assertEquals(path.sourcePort(), frame.sourcePort());
            assertEquals(path.destPort(), frame.destPort());
            assertEquals(0, frame.ipId());
            assertEquals(0x40, frame.trafficClass());
            assertTrue(frame.offset() >= TransmitBatch.HEADROOM);
        }, 10);
        assertEquals(1, polled);
    }

    @Test
    void shouldOverwriteDeliveredPackets() {
        SimulatedFabric fabric = new SimulatedFabric(1, FAST);
        SimulatedLink a = fabric.attach(A);
        send(a, a.resolve(PathRequest.v2(A, A)), 1, 1, 16);
        fabric.step();
        ByteBuffer[] kept = new ByteBuffer[1];
        a.poll(frame -> kept[0] = frame.buffer(), 1);
        assertEquals(0xA5A5_A5A5, kept[0].getInt(TransmitBatch.HEADROOM));
    }

    @Test
    void shouldRefusePathsToUnknownAddresses() {
        SimulatedFabric fabric = new SimulatedFabric(1, FAST);
        SimulatedLink a = fabric.attach(A);
        assertEquals(Errno.EHOSTUNREACH, assertThrows(VerbsException.class, () -> a.resolve(PathRequest.v2(A, B))).errno());
        assertEquals(Errno.EADDRNOTAVAIL, assertThrows(VerbsException.class, () -> a.resolve(PathRequest.v2(B, A))).errno());
        assertEquals(Errno.EADDRINUSE, assertThrows(VerbsException.class, () -> fabric.attach(C6, A)).errno());
        a.close();
        fabric.attach(C6, A);
    }

    @Test
    void shouldLosePacketsToAClosedLinkAndFindTheNextOneThere() {
        SimulatedFabric fabric = new SimulatedFabric(1, FAST);
        SimulatedLink a = fabric.attach(A);
        SimulatedLink b = fabric.attach(B);
        Path path = a.resolve(PathRequest.v2(A, B));
        send(a, path, 0, 3, 20);
        b.close();
        while (fabric.step()) {
            continue;
        }
        assertEquals(3, fabric.count(Fate.NO_RECEIVER));
        SimulatedLink again = fabric.attach(B);
        send(a, path, 3, 1, 20);
        assertEquals(List.of(3), numbers(drain(fabric, again)));
    }

    @Test
    void shouldCountPacketsThatAreTooLong() {
        SimulatedFabric fabric = new SimulatedFabric(1, FAST);
        SimulatedLink a = fabric.attach(A);
        Path path = a.resolve(PathRequest.v2(A, A));
        send(a, path, 0, 1, SimulatedFabric.MAX_SENT_BYTES);
        send(a, path, 1, 1, SimulatedFabric.MAX_SENT_BYTES + 1);
        assertEquals(1, a.sendErrors());
        assertEquals(1, drain(fabric, a).size());
    }

    @Test
    void shouldKeepOrderUnderJitter() {
        SimulatedFabric fabric = new SimulatedFabric(3, FaultPlan.NONE.withDelay(10, 100_000));
        SimulatedLink a = fabric.attach(A);
        SimulatedLink b = fabric.attach(B);
        Path path = a.resolve(PathRequest.v2(A, B));
        for (int i = 0; i < 100; i++) {
            send(a, path, i, 1, 20);
            fabric.advanceTo(fabric.nowNs() + 50);
        }
        assertEquals(range(0, 100), numbers(drain(fabric, b)));
        assertTrue(fabric.nowNs() > 10_000);
    }

    @Test
    void shouldLoseAtTheRateAsked() {
        SimulatedFabric fabric = new SimulatedFabric(4, FAST.withLoss(0.25));
        SimulatedLink a = fabric.attach(A);
        send(a, a.resolve(PathRequest.v2(A, A)), 0, 2000, 16);
        int received = drain(fabric, a).size();
        assertEquals(2000 - received, fabric.count(Fate.LOST));
        assertTrue(fabric.count(Fate.LOST) > 400 && fabric.count(Fate.LOST) < 600, "lost " + fabric.count(Fate.LOST));
        fabric.plan(FAST.withLoss(1));
        send(a, a.resolve(PathRequest.v2(A, A)), 0, 10, 16);
        assertEquals(0, drain(fabric, a).size());
    }

    @Test
    void shouldDuplicate() {
        SimulatedFabric fabric = new SimulatedFabric(5, FAST.withDuplication(1));
        SimulatedLink a = fabric.attach(A);
        send(a, a.resolve(PathRequest.v2(A, A)), 0, 3, 16);
        assertEquals(List.of(0, 0, 1, 1, 2, 2), numbers(drain(fabric, a)));
        assertEquals(3, fabric.count(Fate.DUPLICATED));
        assertEquals(3, fabric.count(Fate.SENT));
        assertEquals(6, fabric.count(Fate.DELIVERED));
    }

    @Test
    void shouldReorder() {
        SimulatedFabric fabric = new SimulatedFabric(6, FAST.withReordering(0.3, 5_000));
        SimulatedLink a = fabric.attach(A);
        Path path = a.resolve(PathRequest.v2(A, A));
        for (int i = 0; i < 50; i++) {
            send(a, path, i, 1, 16);
            fabric.advanceTo(fabric.nowNs() + 100);
        }
        List<Integer> received = numbers(drain(fabric, a));
        assertNotEquals(range(0, 50), received);
        assertEquals(range(0, 50), received.stream().sorted().toList());
        assertTrue(fabric.count(Fate.REORDERED) > 5);
    }

    @Test
    void shouldFlipExactlyOneBitAnywhere() {
        SimulatedFabric fabric = new SimulatedFabric(7, FAST.withBitFlip(1));
        SimulatedLink a = fabric.attach(A);
        Path path = a.resolve(PathRequest.v2(A, A));
        Set<Integer> positions = new HashSet<>();
        for (int i = 0; i < 600; i++) {
            send(a, path, 0, 1, 16);
            byte[] bytes = drain(fabric, a).get(0);
            int flipped = 0;
            for (int bit = 0; bit < 128; bit++) {
                if ((bytes[bit >> 3] >> (bit & 7) & 1) != 0) {
                    flipped++;
                    positions.add(bit);
                }
            }
            assertEquals(1, flipped);
            assertEquals(16, bytes.length);
        }
        assertTrue(positions.size() > 120, "every bit can be hit, not only " + positions.size() + " of 128");
    }

    @Test
    void shouldTruncateAndExtend() {
        SimulatedFabric fabric = new SimulatedFabric(8, FAST.withTruncation(1));
        SimulatedLink a = fabric.attach(A);
        Path path = a.resolve(PathRequest.v2(A, A));
        Set<Integer> lengths = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            send(a, path, 0, 1, 16);
            lengths.add(drain(fabric, a).get(0).length);
        }
        assertEquals(new HashSet<>(range(0, 16)), lengths);

        fabric.plan(FAST.withExtension(1));
        lengths.clear();
        for (int i = 0; i < 600; i++) {
            send(a, path, 0x0102_0304, 1, SimulatedFabric.MAX_SENT_BYTES);
            byte[] bytes = drain(fabric, a).get(0);
            assertArrayEquals(numbered(0x0102_0304, SimulatedFabric.MAX_SENT_BYTES), Arrays.copyOf(bytes, SimulatedFabric.MAX_SENT_BYTES));
            lengths.add(bytes.length - SimulatedFabric.MAX_SENT_BYTES);
        }
        assertEquals(new HashSet<>(range(1, 33)), lengths);
    }

    @Test
    void shouldPartitionOneDirectionForATime() {
        SimulatedFabric fabric = new SimulatedFabric(9, FAST);
        SimulatedLink a = fabric.attach(A);
        SimulatedLink b = fabric.attach(B);
        fabric.partition(A, B, 1_000);
        Path there = a.resolve(PathRequest.v2(A, B));
        Path back = b.resolve(PathRequest.v2(B, A));
        send(a, there, 0, 2, 16);
        send(b, back, 5, 2, 16);
        assertEquals(List.of(), numbers(drain(fabric, b)));
        assertEquals(List.of(5, 6), numbers(drain(fabric, a)));
        assertEquals(2, fabric.count(Fate.PARTITIONED));
        fabric.advanceTo(999);
        send(a, there, 2, 1, 16);
        fabric.advanceTo(1_000);
        send(a, there, 3, 1, 16);
        assertEquals(List.of(3), numbers(drain(fabric, b)));
    }

    @Test
    void shouldHoldCloggedPacketsAndDeliverThemInOrder() {
        SimulatedFabric fabric = new SimulatedFabric(10, FAST);
        SimulatedLink a = fabric.attach(A);
        SimulatedLink b = fabric.attach(B);
        Path path = a.resolve(PathRequest.v2(A, B));
        send(a, path, 0, 1, 16);
        fabric.clog(A, B, 10_000);
        for (int i = 1; i < 20; i++) {
            send(a, path, i, 1, 16);
            fabric.advanceTo(fabric.nowNs() + 50);
        }
        assertEquals(List.of(), numbers(poll(b)).stream().filter(n -> n > 0).toList());
        fabric.advanceTo(9_999);
        assertFalse(b.hasMail());
        fabric.advanceTo(10_000);
        assertEquals(range(1, 20), numbers(poll(b)));
        assertTrue(fabric.count(Fate.CLOGGED) > 0);
    }

    @Test
    void shouldEndAllFaultsWhenHealed() {
        SimulatedFabric fabric = new SimulatedFabric(11, FAST.withLoss(0.5).withClog(0.5, 1_000_000).withPartition(0.1, 1_000_000));
        SimulatedLink a = fabric.attach(A);
        SimulatedLink b = fabric.attach(B);
        Path path = a.resolve(PathRequest.v2(A, B));
        Path back = b.resolve(PathRequest.v2(B, A));
        fabric.partition(B, A, Long.MAX_VALUE);
        send(a, path, 0, 200, 16);
        fabric.clog(A, B, Long.MAX_VALUE);
        fabric.plan(FAST);
        fabric.advanceTo(2_000_000);
        poll(b);
        send(a, path, 500, 5, 16);
        fabric.advanceTo(5_000_000);
        assertFalse(b.hasMail());

        fabric.heal();
        send(a, path, 600, 5, 16);
        send(b, back, 700, 5, 16);
        fabric.advanceTo(5_000_100);
        assertEquals(List.of(500, 501, 502, 503, 504, 600, 601, 602, 603, 604), numbers(poll(b)));
        assertEquals(range(700, 705), numbers(poll(a)));
        assertEquals(FAST, fabric.plan());
    }

    @Test
    void shouldSpaceByBandwidthAndDropBeyondTheQueue() {
        SimulatedFabric fabric = new SimulatedFabric(12, FAST);
        // 934 bytes and 66 of overhead at 1 Gbit/s: 8 µs each. The queue accepts a packet behind up to 10,000 bytes: 0..10 others.
        SimulatedLink a = fabric.attach(LinkProfile.DEFAULT.withBandwidth(1_000_000_000L, 10_000), A);
        SimulatedLink b = fabric.attach(B);
        send(a, a.resolve(PathRequest.v2(A, B)), 0, 20, 934);
        assertEquals(9, fabric.count(Fate.QUEUE_FULL));
        for (int i = 1; i <= 11; i++) {
            fabric.advanceTo(8_000L * i + 99);
            assertFalse(b.hasMail(), "packet " + i);
            fabric.advanceTo(8_000L * i + 100);
            assertEquals(List.of(i - 1), numbers(poll(b)));
        }
        assertEquals(0, fabric.inFlight());
    }

    private static final int MAY_BE_MARKED = 0x68 | 2;

    /** Numbers and ECN bits of received packets. */
    private static List<String> marks(SimulatedLink link) {
        List<String> all = new ArrayList<>();
        link.poll(frame -> all.add(frame.buffer().getInt(frame.offset()) + ":" + frame.trafficClass()), Integer.MAX_VALUE);
        return all;
    }

    /** 1000 bytes with headers at 1 Gbit/s: 8 µs each. Packets of two senders find 0, 1000, 2000 … bytes before them. */
    @Test
    void shouldQueueMarkAndDropAtThePortBeforeALink() {
        SimulatedFabric fabric = new SimulatedFabric(12, FAST);
        SimulatedLink a = fabric.attach(A);
        SimulatedLink other = fabric.attach(C);
        SimulatedLink b = fabric.attach(LinkProfile.DEFAULT.withPort(new SwitchPort(1_000_000_000L, 6_000, 3_000, 5_000, 0)), B);
        send(a, a.resolve(PathRequest.v2(A, B).withTrafficClass(MAY_BE_MARKED)), 0, 3, 934);
        send(other, other.resolve(PathRequest.v2(C, B).withTrafficClass(MAY_BE_MARKED)), 3, 5, 934);
        fabric.advanceTo(100);
        assertFalse(b.hasMail());
        assertEquals(7_000, b.portQueueBytes());
        assertEquals(1, fabric.count(Fate.QUEUE_FULL), "the last finds 7000 bytes");
        for (int i = 0; i < 7; i++) {
            fabric.advanceTo(100 + 8_000L * (i + 1) - 1);
            assertFalse(b.hasMail(), "packet " + i);
            fabric.advanceTo(100 + 8_000L * (i + 1));
            assertEquals(List.of(i + ":" + (i < 5 ? MAY_BE_MARKED : MAY_BE_MARKED | 3)), marks(b));
        }
        assertEquals(2, fabric.count(Fate.MARKED));
        assertEquals(0, b.portQueueBytes());
    }

    @Test
    void shouldMarkEcnCapablePacketsByQueueLength() {
        SimulatedFabric fabric = new SimulatedFabric(12, FAST);
        SimulatedLink a = fabric.attach(A);
        SwitchPort port = new SwitchPort(1_000_000_000L, 1 << 20, 0, 1_000_000, 0.5);
        SimulatedLink b = fabric.attach(LinkProfile.DEFAULT.withPort(port).withInbox(10_000), B);
        send(a, a.resolve(PathRequest.v2(A, B).withTrafficClass(0x68)), 0, 1000, 934);
        fabric.advanceTo(100_000_000);
        assertEquals(0, fabric.count(Fate.MARKED));
        send(a, a.resolve(PathRequest.v2(A, B).withTrafficClass(0x68 | 1)), 0, 500, 934);
        fabric.advanceTo(200_000_000);
        long short500 = fabric.count(Fate.MARKED);
        send(a, a.resolve(PathRequest.v2(A, B).withTrafficClass(0x68 | 1)), 0, 1000, 934);
        fabric.advanceTo(300_000_000);
        long long1000 = fabric.count(Fate.MARKED) - short500;
        // The probability rises from 0 to 1/4, and to 1/2: 62.5 and 250 marks are expected.
        assertTrue(short500 > 35 && short500 < 95, "marked " + short500 + " of 500");
        assertTrue(long1000 > 200 && long1000 < 300, "marked " + long1000 + " of 1000");
    }

    @Test
    void shouldDropPacketsBeyondTheInbox() {
        SimulatedFabric fabric = new SimulatedFabric(13, FAST);
        SimulatedLink a = fabric.attach(A);
        SimulatedLink b = fabric.attach(LinkProfile.DEFAULT.withInbox(4), B);
        send(a, a.resolve(PathRequest.v2(A, B)), 0, 6, 16);
        assertEquals(range(0, 4), numbers(drain(fabric, b)));
        assertEquals(2, fabric.count(Fate.INBOX_FULL));
    }

    @Test
    void shouldHideTheIdentificationAsAUdpSocketDoes() {
        SimulatedFabric fabric = new SimulatedFabric(14, FAST);
        SimulatedLink a = fabric.attach(A);
        SimulatedLink hidden = fabric.attach(LinkProfile.DEFAULT.withIpHeader(LinkProfile.IpHeader.HIDDEN), B);
        assertTrue(a.deliversIpHeader());
        assertFalse(hidden.deliversIpHeader());
        send(a, a.resolve(PathRequest.v2(A, B)), 0, 1, 40);
        fabric.step();
        hidden.poll(frame -> assertEquals(ReceivedFrame.IP_ID_HIDDEN, frame.ipId()), 1);
    }

    @Test
    void shouldCoverARandomIdentificationByTheIcrc() {
        SimulatedFabric fabric = new SimulatedFabric(15, FAST);
        SimulatedLink a = fabric.attach(A);
        SimulatedLink b = fabric.attach(LinkProfile.DEFAULT.withIpHeader(LinkProfile.IpHeader.HIDDEN_RANDOM), B);
        Path path = a.resolve(PathRequest.v2(A, B));
        Icrc icrc = new Icrc();
        IpIdSolver solver = new IpIdSolver();
        Set<Integer> ids = new HashSet<>();
        TransmitBatch batch = new TransmitBatch(1, 64);
        for (int i = 0; i < 50; i++) {
            int bth = batch.begin(path);
            batch.buffer().put(bth, numbered(i, 60));
            int prefix = Icrc.putIpv4Prefix(batch.buffer(), bth, A.ipv4(), B.ipv4(), 0, true, path.sourcePort(), path.destPort(), 60);
            Icrc.put(batch.buffer(), bth + 56, icrc.overPrefix(batch.buffer(), prefix, bth, bth + 56));
            batch.commit(60);
            a.send(batch);
            fabric.step();
            b.poll(frame -> {
                int at = frame.offset();
                int start = Icrc.putIpv4Prefix(frame.buffer(), at, A.ipv4(), B.ipv4(), 0, true, frame.sourcePort(), frame.destPort(), 60);
                int withZero = icrc.overPrefix(frame.buffer(), start, at, at + 56);
                int id = solver.solve(withZero, Icrc.get(frame.buffer(), at + 56), IpIdSolver.bytesAfterId(at, at + 56));
                assertTrue(id >= 0);
                ids.add(id);
            }, 1);
        }
        assertTrue(ids.size() > 45, ids.toString());
    }

    @Test
    void shouldReplayTheSameTraceFromTheSameSeed() {
        List<String> first = trace(42);
        assertEquals(first, trace(42));
        assertNotEquals(first, trace(43));
        assertTrue(first.size() > 2_000);
        for (Fate fate : Fate.values()) {
            if (fate != Fate.NO_RECEIVER) {
                assertTrue(first.stream().anyMatch(line -> line.endsWith(fate.name())), fate + " does not occur");
            }
        }
    }

    private static List<String> trace(long seed) {
        FaultPlan all = FaultPlan.NONE.withDelay(500, 2_000).withLoss(0.05).withDuplication(0.05).withReordering(0.05, 10_000)
            .withBitFlip(0.05).withTruncation(0.05).withExtension(0.05).withPartition(0.005, 20_000).withClog(0.005, 20_000);
        SimulatedFabric fabric = new SimulatedFabric(seed, all, -1_000_000);
        LinkProfile tight = LinkProfile.DEFAULT.withBandwidth(10_000_000_000L, 200).withInbox(3);
        SimulatedLink a = fabric.attach(tight.withIpHeader(LinkProfile.IpHeader.HIDDEN_RANDOM), A, C6);
        SimulatedLink b = fabric.attach(tight.withPort(new SwitchPort(10_000_000_000L, 1 << 20, 0, 1_000, 0.5)), B);
        List<String> trace = new ArrayList<>();
        fabric.observe((nowNs, from, to, packet, offset, length, fate) -> {
            int hash = 0;
            for (int i = 0; i < length; i++) {
                hash = 31 * hash + packet.get(offset + i);
            }
            trace.add(nowNs + " " + from + " " + to + " " + length + " " + hash + " " + fate);
        });
        Path there = a.resolve(PathRequest.v2(A, B).withTrafficClass(2));
        Path back = b.resolve(PathRequest.v2(B, A));
        for (int i = 0; i < 500; i++) {
            send(a, there, i, 2, 64 + i % 100);
            send(b, back, i, 2, 64 + i % 37);
            fabric.advanceTo(fabric.nowNs() + 700);
            if (i % 5 == 0) {
                poll(a);
                poll(b);
            }
        }
        return trace;
    }

    @Test
    void shouldRefuseInvalidPlans() {
        assertThrows(IllegalArgumentException.class, () -> FaultPlan.NONE.withLoss(1.01));
        assertThrows(IllegalArgumentException.class, () -> FaultPlan.NONE.withLoss(-0.01));
        assertThrows(IllegalArgumentException.class, () -> FaultPlan.NONE.withBitFlip(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> FaultPlan.NONE.withDelay(2, 1));
        assertThrows(IllegalArgumentException.class, () -> FaultPlan.NONE.withReordering(0.1, 0));
        assertThrows(IllegalArgumentException.class, () -> LinkProfile.DEFAULT.withInbox(0));
        assertThrows(IllegalArgumentException.class, () -> new SwitchPort(0, 1, 1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new SwitchPort(1, 1, 2, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new SwitchPort(1, 1, 1, 1, 1.01));
    }
}
