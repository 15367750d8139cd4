// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.contract.AllocatedBytes;
import org.softrdma.link.ForwardingLink;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.Gid;

/** Faults on virtual time, over a link that records sent packets and delivers prepared ones. */
class FaultyLinkTest {
    private static final Gid A = Gid.ofIpv4(0x0a00_0001);
    private static final Gid B = Gid.ofIpv4(0x0a00_0002);
    private static final Path PATH = new Path(A, B, 4791, 4791, 0, 64, null);
    private static final int LENGTH = 64;
    private static final long BIG = 1_000_000_000L;

    private final Wire wire = new Wire();
    private long nowNs = -5_000;

    /** The other end of the link under test: packets are numbers in their first four bytes, the rest is 0. */
    private static final class Wire extends ForwardingLink {
        final List<byte[]> sent = new ArrayList<>();
        final List<Integer> batches = new ArrayList<>();
        final List<byte[]> arriving = new ArrayList<>();
        private final ReceivedFrame frame = new ReceivedFrame();
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(TransmitBatch.HEADROOM + 4096);
        int room = Integer.MAX_VALUE;
        boolean noting = true;
        boolean closed;

        Wire() {
            super(new SimulatedFabric(0, FaultPlan.NONE).attach(A));
        }

        @Override
        public String description() {
            return "test wire";
        }

        @Override
        public int send(TransmitBatch batch) {
            int count = Math.min(room, batch.end() - batch.first());
            if (noting) {
                batches.add(count);
                for (int i = batch.first(); i < batch.first() + count; i++) {
                    byte[] bytes = new byte[batch.length(i)];
                    batch.buffer().get(batch.offset(i), bytes);
                    sent.add(bytes);
                    assertEquals(PATH, batch.path(i));
                }
            }
            batch.sent(count);
            room = room == Integer.MAX_VALUE ? room : room - count;
            return count;
        }

        @Override
        public int poll(FrameHandler handler, int limit) {
            int count = 0;
            while (count < limit && !arriving.isEmpty()) {
                byte[] bytes = arriving.removeFirst();
                buffer.put(TransmitBatch.HEADROOM, bytes);
                handler.onFrame(frame.begin(buffer, TransmitBatch.HEADROOM, bytes.length).addresses(A, B.high(), B.low())
                    .ports(4791, 4791).ipId(7).trafficClass(3));
                count++;
            }
            return count;
        }

        @Override
        public long sendErrors() {
            return 3;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private FaultyLink link(String faults) {
        return new FaultyLink(wire, LinkFaults.parse(faults), () -> nowNs);
    }

    private static TransmitBatch fill(TransmitBatch batch, int from, int to) {
        for (int i = from; i < to; i++) {
            batch.buffer().put(batch.begin(PATH), packet(i));
            batch.commit(LENGTH);
        }
        return batch;
    }

    private static byte[] packet(int number) {
        return ByteBuffer.wrap(new byte[LENGTH]).putInt(0, number).array();
    }

    private static void send(FaultyLink link, int from, int to, int atOnce) {
        for (int i = from; i < to; i += atOnce) {
            TransmitBatch batch = fill(new TransmitBatch(atOnce, LENGTH), i, Math.min(to, i + atOnce));
            int count = batch.end();
            assertEquals(count, link.send(batch));
            assertTrue(batch.isEmpty());
        }
    }

    private static List<byte[]> poll(Link link) {
        List<byte[]> all = new ArrayList<>();
        link.poll(frame -> {
            byte[] bytes = new byte[frame.length()];
            frame.buffer().get(frame.offset(), bytes);
            all.add(bytes);
        }, Integer.MAX_VALUE);
        return all;
    }

    private void advance(FaultyLink link, long toNs) {
        nowNs = toNs;
        poll(link);
    }

    private static List<Integer> numbers(List<byte[]> packets) {
        return packets.stream().map(bytes -> ByteBuffer.wrap(bytes).getInt(0)).toList();
    }

    private static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private static long count(FaultyLink link, String name) {
        return link.counters().get(name);
    }

    /** Checks a rate within five standard deviations: one in two million seeds fails wrongly, and the seeds here are fixed. */
    private static void assertRate(double rate, long hits, long tries, String what) {
        double off = Math.abs(hits - rate * tries);
        assertTrue(off <= 5 * Math.sqrt(tries * rate * (1 - rate)), what + ": " + hits + " of " + tries + " is not a rate of " + rate);
    }

    @Test
    void shouldLetEverythingPassWithoutFaults() {
        FaultyLink link = link("none");
        send(link, 0, 100, 10);
        wire.arriving.add(packet(5));

        assertEquals(range(0, 100), numbers(wire.sent));
        assertEquals(List.of(5), numbers(poll(link)));
        assertEquals(Long.MAX_VALUE, link.deadlineNs());
        assertTrue(link.counters().values().stream().allMatch(each -> each == 0), link.counters().toString());
        assertEquals("test wire", link.description());
        assertEquals(3, link.sendErrors());
        link.close();
        assertTrue(wire.closed);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 42, -1})
    void shouldApplyTheRequestedRates(long seed) {
        FaultyLink link = link("drop=0.1,duplicate=0.05,corrupt=0.02,truncate=0.03,extend=0.04,seed=" + Long.toUnsignedString(seed));
        int packets = 20_000;
        send(link, 0, packets, 50);

        long dropped = count(link, "fault_dropped");
        long doubled = count(link, "fault_duplicated");
        long copies = packets - dropped + doubled;
        assertEquals(copies, wire.sent.size());
        assertRate(0.1, dropped, packets, "dropped");
        assertRate(0.05, doubled, packets - dropped, "duplicated");
        assertRate(0.02, count(link, "fault_corrupted"), copies, "corrupted");
        assertRate(0.03, count(link, "fault_truncated"), copies, "truncated");
        assertRate(0.04 * 0.97, count(link, "fault_extended"), copies, "extended");
        assertEquals(count(link, "fault_truncated"), wire.sent.stream().filter(each -> each.length < LENGTH).count());
        assertTrue(wire.sent.stream().allMatch(each -> each.length >= 16), "BTH and ICRC stay");
        assertTrue(wire.sent.stream().allMatch(each -> each.length <= LENGTH + 32));
    }

    @Test
    void shouldAffectTheSamePacketsOfASeedInAnyBatching() {
        List<Integer> one = survivors("drop=0.3,seed=7", 1);

        assertEquals(one, survivors("drop=0.3,seed=7", 1));
        assertEquals(one, survivors("drop=0.3,seed=7", 64));
        assertEquals(one, survivors("seed=7,drop=0.3,truncate=0.5", 10), "another fault's rate must not move this one's draws");
        assertNotEquals(one, survivors("drop=0.3,seed=8", 1));
    }

    private List<Integer> survivors(String faults, int atOnce) {
        wire.sent.clear();
        send(link(faults), 0, 500, atOnce);
        return numbers(wire.sent);
    }

    @Test
    void shouldFlipExactlyOneBitAnywhere() {
        FaultyLink link = link("corrupt=1");
        for (int i = 0; i < 4_000; i++) {
            send(link, 0, 1, 1);
        }

        Set<Integer> positions = new HashSet<>();
        for (byte[] bytes : wire.sent) {
            List<Integer> flipped = IntStream.range(0, LENGTH * 8).filter(bit -> (bytes[bit >> 3] >> (bit & 7) & 1) != 0).boxed().toList();
            assertEquals(1, flipped.size());
            positions.addAll(flipped);
        }
        assertTrue(positions.size() > 500, "every bit can be hit, not only " + positions.size() + " of 512");
    }

    @Test
    void shouldHoldEachPacketForItsTimeAndKeepTheOrder() {
        FaultyLink link = link("delay=10us-50us");
        for (int i = 0; i < 200; i++) {
            send(link, i, i + 1, 1);
            long deadlineNs = link.deadlineNs();
            assertTrue(deadlineNs > nowNs && deadlineNs <= nowNs + 50_000, "due in " + (deadlineNs - nowNs) + " ns");
            int before = wire.sent.size();
            advance(link, Math.max(nowNs, deadlineNs - 1));
            assertEquals(before, wire.sent.size(), "nothing goes before its time");
            if (i % 3 == 0) {
                advance(link, deadlineNs);
                assertTrue(wire.sent.size() > before);
            }
        }
        advance(link, nowNs + 50_000);

        assertEquals(range(0, 200), numbers(wire.sent));
        assertEquals(200, count(link, "fault_delayed"));
        assertEquals(Long.MAX_VALUE, link.deadlineNs());
    }

    @Test
    void shouldLetLaterPacketsOvertakeReorderedOnes() {
        FaultyLink link = link("reorder=0.2:100us");
        for (int i = 0; i < 300; i++) {
            send(link, i, i + 1, 1);
            advance(link, nowNs + 5_000);
        }
        advance(link, nowNs + 100_000);

        List<Integer> arrived = numbers(wire.sent);
        assertEquals(range(0, 300), arrived.stream().sorted().toList());
        assertRate(0.2, count(link, "fault_reordered"), 300, "reordered");
        long late = IntStream.range(1, 300).filter(i -> arrived.get(i) < arrived.get(i - 1)).count();
        assertTrue(late > 20, late + " packets came after later ones");
        int furthest = IntStream.range(0, 300).map(i -> i - arrived.get(i)).max().orElseThrow();
        assertTrue(furthest <= 21, "100 us are 20 packets, not " + furthest);
    }

    @Test
    void shouldSendTheRestOfABatchWithAReorderedPacketTogether() {
        FaultyLink link = link("reorder=0.1:100us,seed=3");
        send(link, 0, 60, 60);

        long held = count(link, "fault_reordered");
        assertTrue(held > 0);
        assertEquals(List.of((int) (60 - held)), wire.batches, "one batch can be one train");
        wire.batches.clear();
        advance(link, nowNs + 100_000);
        assertEquals(List.of((int) held), wire.batches);
    }

    @Test
    void shouldDropPacketsBeyondTheCapacity() {
        FaultyLink link = link("delay=1s");
        send(link, 0, HeldPackets.CAPACITY + 3, 100);
        assertEquals(3, count(link, "fault_queue_full"));

        advance(link, nowNs + BIG);
        assertEquals(range(0, HeldPackets.CAPACITY), numbers(wire.sent));
        send(link, 0, 1, 1);
        assertEquals(3, count(link, "fault_queue_full"), "there is room again");
    }

    /** Long packets use the capacity up sooner. */
    @Test
    void shouldHoldNoMoreBytesOfLongPackets() {
        FaultyLink link = link("delay=1s");
        int longPackets = 0;
        while (count(link, "fault_queue_full") == 0) {
            TransmitBatch batch = new TransmitBatch(1, HeldPackets.MAX_PACKET_BYTES);
            batch.buffer().putInt(batch.begin(PATH), longPackets);
            batch.commit(HeldPackets.MAX_PACKET_BYTES);
            link.send(batch);
            longPackets++;
        }
        long held = (longPackets - 1L) * HeldPackets.MAX_PACKET_BYTES;
        assertTrue(held <= (long) HeldPackets.CAPACITY * ReceivedFrame.MAX_PACKET_BYTES, held + " bytes");
        assertTrue(longPackets > 100, longPackets + " packets");

        advance(link, nowNs + BIG);
        assertEquals(range(0, longPackets - 1), numbers(wire.sent));
        send(link, 0, HeldPackets.CAPACITY + 1, 100);
        assertEquals(2, count(link, "fault_queue_full"), "there is room again, for the maximum of short ones");
    }

    @Test
    void shouldDropPacketsDuringPartitions() {
        FaultyLink link = link("partition=0.002:1ms");
        for (int i = 0; i < 5_000; i++) {
            send(link, i, i + 1, 1);
            nowNs += 10_000;
        }

        long lost = count(link, "fault_partitioned");
        assertEquals(5_000 - lost, wire.sent.size());
        List<Integer> arrived = numbers(wire.sent);
        int longest = IntStream.range(1, arrived.size()).map(i -> arrived.get(i) - arrived.get(i - 1) - 1).max().orElseThrow();
        assertTrue(longest > 50 && longest <= 100, "1 ms are 100 packets at most, the longest gap is " + longest);
    }

    @Test
    void shouldHoldPacketsDuringClogs() {
        FaultyLink link = link("clog=0.005:1ms");
        for (int i = 0; i < 2_000; i++) {
            send(link, i, i + 1, 1);
            advance(link, nowNs + 10_000);
        }
        advance(link, nowNs + 1_000_000);

        assertEquals(range(0, 2_000), numbers(wire.sent), "none is lost, none overtakes");
        assertTrue(count(link, "fault_clogged") > 100, link.counters().toString());
        assertTrue(wire.batches.stream().max(Integer::compare).orElseThrow() > 20, "they come at once: " + wire.batches);
    }

    @Test
    void shouldAffectReceivedPacketsOnly() {
        FaultyLink link = link("drop=0.5,dir=rx");
        send(link, 0, 100, 10);
        assertEquals(100, wire.sent.size());
        for (int i = 0; i < 2_000; i++) {
            wire.arriving.add(packet(i));
        }

        List<byte[]> arrived = poll(link);
        assertEquals(2_000 - count(link, "fault_dropped"), arrived.size());
        assertRate(0.5, arrived.size(), 2_000, "dropped");
    }

    @Test
    void shouldKeepHeaderFieldsOfReceivedPackets() {
        FaultyLink link = link("duplicate=1,delay=10us,dir=rx");
        wire.arriving.add(packet(9));
        assertEquals(List.of(), poll(link));
        assertEquals(nowNs + 10_000, link.deadlineNs());
        nowNs += 10_000;
        List<String> seen = new ArrayList<>();
        link.poll(frame -> {
            assertTrue(frame.offset() >= TransmitBatch.HEADROOM);
            assertEquals(9, frame.buffer().getInt(frame.offset()));
            seen.add(frame.local() + " " + new Gid(frame.remoteHigh(), frame.remoteLow()) + " " + frame.sourcePort() + " "
                + frame.destPort() + " " + frame.ipId() + " " + frame.trafficClass() + " " + frame.length());
        }, 1);
        link.poll(frame -> seen.add("second"), 1);

        assertEquals(List.of(A + " " + B + " 4791 4791 7 3 64", "second"), seen, "one poll gives no more than asked for");
    }

    @Test
    void shouldAffectBothDirectionsIndependently() {
        FaultyLink link = link("drop=0.5,dir=both");
        send(link, 0, 200, 100);
        range(0, 200).forEach(i -> wire.arriving.add(packet(i)));
        List<Integer> received = numbers(poll(link));

        assertNotEquals(numbers(wire.sent), received);
        assertEquals(400 - count(link, "fault_dropped"), wire.sent.size() + received.size());
    }

    @Test
    void shouldReleaseHeldPacketsWhenFaultsEnd() {
        FaultyLink link = link("delay=30s,dir=both");
        send(link, 0, 5, 5);
        range(0, 5).forEach(i -> wire.arriving.add(packet(i)));
        assertEquals(List.of(), poll(link));

        link.change(LinkFaults.NONE);
        assertTrue(link.deadlineNs() <= nowNs);
        assertEquals(range(0, 5), numbers(poll(link)));
        assertEquals(range(0, 5), numbers(wire.sent));
        assertEquals(Long.MAX_VALUE, link.deadlineNs());
        send(link, 5, 6, 1);
        assertEquals(range(0, 6), numbers(wire.sent));
    }

    @Test
    void shouldCountPacketsFromZeroAgainWhenFaultsChange() {
        FaultyLink link = link("drop=0.5");
        send(link, 0, 100, 7);
        List<Integer> first = numbers(wire.sent);
        wire.sent.clear();

        link.change(LinkFaults.parse("drop=0.5"));
        send(link, 0, 100, 9);
        assertEquals(first, numbers(wire.sent));
    }

    /** With a socket that accepts three packets at a time, none is lost, sent twice or counted twice. */
    @ParameterizedTest
    @ValueSource(strings = {"drop=0.02", "drop=0.3", "drop=0.1,duplicate=0.2", "delay=1ns-2us", "reorder=0.000001:1us"})
    void shouldKeepOrderAndFaultsWhenTheSocketIsFull(String faults) {
        FaultyLink free = link(faults);
        send(free, 0, 1_000, 1);
        advance(free, nowNs + BIG);
        List<Integer> expected = numbers(wire.sent);
        wire.sent.clear();

        FaultyLink link = link(faults);
        TransmitBatch batch = new TransmitBatch(128, LENGTH);
        int filled = 0;
        int rounds = 0;
        while (filled < 1_000 || !batch.isEmpty() || link.deadlineNs() != Long.MAX_VALUE) {
            wire.room = 3;
            int more = Math.min(batch.room(), 1_000 - filled);
            fill(batch, filled, filled + more);
            filled += more;
            if (!batch.isEmpty()) {
                link.send(batch);
            }
            advance(link, nowNs + 1_000);
            assertTrue(++rounds < 10_000, "it does not come to an end");
        }
        assertEquals(expected, numbers(wire.sent));
    }

    @Test
    void shouldRetrySoonWhenTheSocketIsFull() {
        FaultyLink link = link("duplicate=1");
        wire.room = 0;
        TransmitBatch batch = fill(new TransmitBatch(4, LENGTH), 0, 4);
        assertEquals(4, link.send(batch));
        assertTrue(link.deadlineNs() > nowNs && link.deadlineNs() <= nowNs + 100_000);
        assertEquals(0, link.send(fill(batch, 4, 6)), "these wait in their batch");
        assertFalse(batch.isEmpty());

        wire.room = Integer.MAX_VALUE;
        assertEquals(2, link.send(batch));
        assertEquals(List.of(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5), numbers(wire.sent));
    }

    @Test
    void shouldTakeBatchesLargerThanItsOwn() {
        FaultyLink link = link("duplicate=1");
        TransmitBatch batch = fill(new TransmitBatch(1_000, LENGTH), 0, 1_000);
        while (!batch.isEmpty()) {
            assertTrue(link.send(batch) > 0);
        }
        assertEquals(range(0, 1_000).stream().flatMap(i -> List.of(i, i).stream()).toList(), numbers(wire.sent));
    }

    @Test
    void shouldPassPacketsTooLongToBeHeld() {
        FaultyLink link = link("drop=1");
        TransmitBatch batch = new TransmitBatch(2, 2 * HeldPackets.MAX_PACKET_BYTES);
        batch.buffer().putInt(batch.begin(PATH), 1);
        batch.commit(HeldPackets.MAX_PACKET_BYTES + 1);
        batch.buffer().putInt(batch.begin(PATH), 2);
        batch.commit(HeldPackets.MAX_PACKET_BYTES);
        link.send(batch);
        assertEquals(List.of(1), numbers(wire.sent));
    }

    @Test
    void shouldNotAllocateForUnaffectedPackets() throws Throwable {
        FaultyLink link = link("drop=0.000000001,corrupt=0.000000001");
        wire.noting = false;
        TransmitBatch batch = new TransmitBatch(64, LENGTH);
        byte[] bytes = packet(1);
        long allocated = AllocatedBytes.leastOf(() -> sendMany(link, batch, bytes));
        assertTrue(allocated < 10_000, allocated + " bytes for 64,000 packets");
    }

    private static void sendMany(FaultyLink link, TransmitBatch batch, byte[] bytes) {
        for (int i = 0; i < 1_000; i++) {
            for (int j = 0; j < 64; j++) {
                batch.buffer().put(batch.begin(PATH), bytes);
                batch.commit(LENGTH);
            }
            link.send(batch);
        }
    }
}
