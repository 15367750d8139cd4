// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WorkCompletion;

/**
 * UC and UD on faulty wires: a message is delivered whole and unchanged or not at all; in order where the wire
 * keeps the order, at most once where it does not duplicate, and every one where nothing is lost. Each message has its number in its
 * immediate data, and its length and contents follow from seed and number. A failure names its seed.
 */
class UnreliableFaultSimulationTest {
    private static final int MESSAGES = 60;
    private static final int LONGEST = 6000;
    private static final int QKEY = 0x5eed;
    private static final int SEEDS = 150;

    @Test
    void shouldDeliverEverythingInOrderOnAGoodWire() {
        for (QpType type : List.of(QpType.UC, QpType.UD)) {
            assertEquals(IntStream.range(0, MESSAGES).boxed().toList(), run(type, 1, FaultPlan.NONE), type.name());
        }
    }

    @Test
    void shouldDeliverInOrderAndAtMostOnceWhereTheWireOnlyLoses() {
        int delivered = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            FaultPlan plan = FaultPlan.NONE.withLoss(0.05).withBitFlip(0.02).withTruncation(0.02).withExtension(0.02)
                .withDelay(500, 20_000);
            for (QpType type : List.of(QpType.UC, QpType.UD)) {
                List<Integer> got = run(type, seed, plan);
                assertEquals(got.stream().sorted().distinct().toList(), got, type + " seed " + seed);
                delivered += got.size();
            }
        }
        int all = 2 * SEEDS * MESSAGES;
        assertTrue(delivered > all / 2 && delivered < all, delivered + " of " + all + " is not what such a wire delivers");
    }

    @Test
    void shouldDeliverAtMostOnceWhereTheWireReorders() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            FaultPlan plan = FaultPlan.NONE.withLoss(0.02).withReordering(0.1, 20_000);
            for (QpType type : List.of(QpType.UC, QpType.UD)) {
                List<Integer> got = run(type, seed, plan);
                assertEquals(got.size(), new HashSet<>(got).size(), type + " seed " + seed);
            }
        }
    }

    @Test
    void shouldDeliverOnlyWholeMessagesWhateverTheWireDoes() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            FaultPlan plan = FaultPlan.NONE.withLoss(0.05).withDuplication(0.1).withReordering(0.2, 50_000).withBitFlip(0.02)
                .withTruncation(0.02).withExtension(0.02).withDelay(500, 20_000);
            for (QpType type : List.of(QpType.UC, QpType.UD)) {
                assertTrue(!run(type, seed, plan).isEmpty(), type + " seed " + seed);
            }
        }
    }

    private static byte[] content(long seed, int number, int most) {
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
        byte[] bytes = new byte[random.nextInt(3) == 0 ? random.nextInt(8) : random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    /**
     * Sends everything in one direction, with pauses; checks contents of delivered messages.
     *
     * @return the numbers delivered, in order
     */
    private static List<Integer> run(QpType type, long seed, FaultPlan plan) {
        SplittableRandom random = new SplittableRandom(seed);
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        setup.type = type;
        setup.qkey = QKEY;
        setup.mtu = Mtu.MTU_256;
        setup.hiddenIpId = random.nextBoolean();
        setup.ipv6 = random.nextBoolean();
        setup.sqPsnA = 0xffffff - random.nextInt(300);
        setup.faults = plan;
        setup.queueDepth = 256;
        SimulatedPair pair = new SimulatedPair(seed, setup);
        int longest = type == QpType.UD ? 4096 : LONGEST;
        int slot = longest + 40;
        // UC alternates between SENDs and WRITEs; each WRITE has a place of its own.
        MemoryRegion target = pair.b.memory((long) MESSAGES * longest, SimulatedPair.ALL_REMOTE);
        MemoryRegion inbox = pair.b.memory(256L * slot, SimulatedPair.ALL_REMOTE);
        for (int i = 0; i < 256; i++) {
            pair.b.qp.postReceive(new ReceiveRequest().begin(i).element(inbox, (long) i * slot, slot));
        }
        AddressHandle handle = type == QpType.UD ? pair.a.pd.createAh(AddressVector.to(pair.b.gid, 1)) : null;
        for (int number = 0; number < MESSAGES; number++) {
            byte[] bytes = content(seed, number, longest);
            MemoryRegion from = pair.a.memory(bytes);
            SendRequest wr = new SendRequest();
            if (type == QpType.UC && number % 2 == 1) {
                wr.writeWithImmediate(target.address() + (long) number * longest, target.rkey(), number);
            } else {
                wr.sendWithImmediate(number);
            }
            if (handle != null) {
                wr.to(handle, pair.b.qp.qpNum(), QKEY);
            }
            pair.a.qp.postSend(wr.wrId(number).element(from, 0, bytes.length).signaled());
            if (random.nextInt(4) == 0) {
                pair.simulation.runFor(random.nextInt(30_000));
            }
        }
        pair.settle();
        assertEquals(MESSAGES, pair.a.sends().stream().filter(WorkCompletion::isSuccess).count(), "sends, seed " + seed);
        assertEquals(QpState.RTS, pair.b.qp.state(), "seed " + seed);
        assertEquals(0, pair.b.counter("sent_pkts"), "nobody answers, seed " + seed);
        List<Integer> delivered = new ArrayList<>();
        for (WorkCompletion got : pair.b.receives()) {
            int number = got.immediate();
            byte[] expected = content(seed, number, longest);
            boolean written = got.opcode() == WcOpcode.RECV_RDMA_WITH_IMM;
            int grh = type == QpType.UD ? 40 : 0;
            MemorySegment place = written ? target.memory().asSlice((long) number * longest, expected.length)
                : inbox.memory().asSlice(got.wrId() * slot + grh, expected.length);
            assertEquals(expected.length + grh, got.byteLength(), "length of " + number + ", seed " + seed);
            assertTrue(Arrays.equals(expected, place.toArray(ValueLayout.JAVA_BYTE)), "contents of " + number + ", seed " + seed);
            delivered.add(number);
        }
        return delivered;
    }
}
