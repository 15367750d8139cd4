// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * One seed: both ends post all kinds of work requests at the same time, over a connection that splits, stalls and possibly breaks. Checked
 * from outside: every request completes once and in order; a completed operation has had its effect; data sent before a message is in
 * memory when the message's receive completes.
 */
final class SeedRun {
    private static final int SLOTS = 48;
    private static final int SLOT_BYTES = 12_000;
    private static final int KINDS = 7;

    private enum Kind { SEND, WRITE, WRITE_IMM, READ, FETCH_ADD, SWAP, EMPTY_SEND }

    /** A work request and its expected effect. */
    private record Planned(Kind kind, int slot, int length, byte fill, boolean fence, boolean inline, boolean solicited) {
    }

    /** One direction: requests of {@code from} to {@code to}. */
    private static final class Direction {
        final SiwPair.Side from;
        final SiwPair.Side to;
        final List<Planned> plan = new ArrayList<>();
        final List<Planned> received;
        final MemoryRegion source;
        final MemoryRegion target;
        final MemoryRegion inbox;
        final MemoryRegion fetched;
        final MemoryRegion counter;
        int posted;
        int checkedSends;
        int checkedReceives;
        long sum;
        long word;
        final long[] swapped = new long[SLOTS];
        boolean failed;

        Direction(SiwPair.Side from, SiwPair.Side to, SplittableRandom random, int requests, int slotBytes) {
            this.from = from;
            this.to = to;
            source = from.memory((long) SLOTS * slotBytes, SiwPair.ALL_REMOTE);
            target = to.memory((long) SLOTS * slotBytes, SiwPair.ALL_REMOTE);
            inbox = to.memory((long) SLOTS * slotBytes, SiwPair.ALL_REMOTE);
            fetched = from.memory(8 * SLOTS, SiwPair.ALL_REMOTE);
            counter = to.memory(16, SiwPair.ALL_REMOTE);
            for (int i = 0; i < requests; i++) {
                Kind kind = Kind.values()[random.nextInt(KINDS)];
                int length = kind == Kind.EMPTY_SEND ? 0 : random.nextInt(4) == 0 ? random.nextInt(64) : random.nextInt(slotBytes);
                boolean payload = kind == Kind.SEND || kind == Kind.WRITE || kind == Kind.WRITE_IMM;
                plan.add(new Planned(kind, i, length, (byte) (1 + random.nextInt(255)), random.nextInt(6) == 0,
                    payload && length <= 64 && random.nextBoolean(), random.nextInt(5) == 0));
            }
            received = plan.stream().filter(p -> p.kind == Kind.SEND || p.kind == Kind.EMPTY_SEND || p.kind == Kind.WRITE_IMM).toList();
            for (Planned p : plan) {
                source.memory().asSlice((long) p.slot * slotBytes, p.length).fill(p.fill);
                if (p.kind == Kind.READ) {
                    target.memory().asSlice((long) p.slot * slotBytes, p.length).fill(p.fill);
                    source.memory().asSlice((long) p.slot * slotBytes, p.length).fill((byte) 0);
                }
            }
            // iWARP has no "receiver not ready": receives for all messages are posted before the first one arrives.
            for (int i = 0; i < received.size(); i++) {
                ReceiveRequest receive = new ReceiveRequest().begin(i);
                long at = inbox.address() + (long) i * slotBytes;
                int first = slotBytes / 3;
                receive.element(at, first, inbox.lkey()).element(at + first, slotBytes - first, inbox.lkey());
                if (to.srq != null) {
                    to.srq.postReceive(receive);
                } else {
                    to.qp.postReceive(receive);
                }
            }
        }

        void post(int slotBytes) {
            Planned p = plan.get(posted);
            SendRequest wr = new SendRequest();
            long remote = target.address() + (long) p.slot * slotBytes;
            switch (p.kind) {
                case SEND, EMPTY_SEND -> wr.send();
                case WRITE -> wr.write(remote, target.rkey());
                case WRITE_IMM -> wr.writeWithImmediate(remote, target.rkey(), p.slot << 8 | 0xee);
                case READ -> wr.read(remote, target.rkey());
                case FETCH_ADD -> wr.fetchAndAdd(counter.address(), counter.rkey(), p.slot + 1);
                case SWAP -> wr.compareAndSwap(counter.address() + 8, counter.rkey(), p.slot % 2 == 0 ? word : ~word, p.slot + 1);
            }
            wr.wrId(posted).signaled();
            if (p.fence) {
                wr.fence();
            }
            if (p.solicited) {
                wr.solicited();
            }
            long at = source.address() + (long) p.slot * slotBytes;
            if (p.kind == Kind.FETCH_ADD || p.kind == Kind.SWAP) {
                wr.element(fetched.address() + 8L * p.slot, 8, fetched.lkey());
            } else if (p.inline) {
                wr.inlineData(source.memory().asSlice((long) p.slot * slotBytes, p.length));
            } else {
                int first = p.length / 3;
                wr.element(at, first, source.lkey()).element(at + first, p.length - first, source.lkey());
            }
            swapped[p.slot] = word;
            if (p.kind == Kind.SWAP && p.slot % 2 == 0) {
                word = p.slot + 1;
            }
            from.qp.postSend(wr);
            posted++;
        }

        /** Checks the completions since the last call. */
        void check(int slotBytes) {
            List<WorkCompletion> sends = from.sends();
            for (; checkedSends < sends.size(); checkedSends++) {
                WorkCompletion wc = sends.get(checkedSends);
                assertEquals(checkedSends, wc.wrId(), "completions in the order of posting");
                if (wc.status() != WcStatus.SUCCESS) {
                    failed = true;
                    assertEquals(WcStatus.WR_FLUSH_ERR, wc.status());
                    continue;
                }
                assertTrue(!failed, "success after a failure");
                checkSend(plan.get(checkedSends), wc, slotBytes);
            }
            List<WorkCompletion> receives = to.receives();
            for (; checkedReceives < receives.size(); checkedReceives++) {
                WorkCompletion wc = receives.get(checkedReceives);
                if (wc.status() != WcStatus.SUCCESS) {
                    assertEquals(WcStatus.WR_FLUSH_ERR, wc.status());
                    failed = true;
                    continue;
                }
                assertEquals(checkedReceives, wc.wrId());
                checkReceive(received.get(checkedReceives), wc, slotBytes);
            }
        }

        private void checkSend(Planned p, WorkCompletion wc, int slotBytes) {
            switch (p.kind) {
                case SEND, EMPTY_SEND -> assertEquals(WcOpcode.SEND, wc.opcode());
                case WRITE, WRITE_IMM -> assertEquals(WcOpcode.RDMA_WRITE, wc.opcode());
                case READ -> {
                    assertEquals(WcOpcode.RDMA_READ, wc.opcode());
                    assertEquals(p.length, wc.byteLength());
                    assertFilled(source, (long) p.slot * slotBytes, p.length, p.fill, "READ " + p);
                }
                case FETCH_ADD -> {
                    assertEquals(WcOpcode.FETCH_ADD, wc.opcode());
                    assertEquals(sum, fetched.memory().get(ValueLayout.JAVA_LONG, 8L * p.slot));
                    sum += p.slot + 1;
                }
                case SWAP -> {
                    assertEquals(WcOpcode.COMP_SWAP, wc.opcode());
                    assertEquals(swapped[p.slot], fetched.memory().get(ValueLayout.JAVA_LONG, 8L * p.slot));
                }
            }
        }

        private void checkReceive(Planned p, WorkCompletion wc, int slotBytes) {
            if (p.kind == Kind.WRITE_IMM) {
                assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, wc.opcode());
                assertEquals(p.slot << 8 | 0xee, wc.immediate());
                assertEquals(WcFlags.WITH_IMM, wc.flags());
            } else {
                assertEquals(WcOpcode.RECV, wc.opcode());
                assertFilled(inbox, (long) checkedReceives * slotBytes, p.length, p.fill, "SEND " + p);
            }
            assertEquals(p.length, wc.byteLength());
            for (Planned before : plan.subList(0, p.slot + 1)) {
                if (before.kind == Kind.WRITE || before.kind == Kind.WRITE_IMM) {
                    assertFilled(target, (long) before.slot * slotBytes, before.length, before.fill, "WRITE " + before);
                }
            }
        }

        private static void assertFilled(MemoryRegion region, long at, int length, byte fill, String what) {
            MemorySegment part = region.memory().asSlice(at, length);
            for (int i = 0; i < length; i++) {
                if (part.get(ValueLayout.JAVA_BYTE, i) != fill) {
                    throw new AssertionError(what + ": byte " + i + " is " + part.get(ValueLayout.JAVA_BYTE, i));
                }
            }
        }

        boolean isOver() {
            return checkedSends == plan.size() && checkedReceives == received.size();
        }
    }

    private SeedRun() {
    }

    /**
     * Runs one seed.
     *
     * @return whether the connection broke during the run
     */
    static boolean run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.crc = random.nextBoolean();
        setup.markersToA = random.nextInt(3) == 0;
        setup.markersToB = random.nextInt(3) == 0;
        setup.maxUlpdu = random.nextInt(3) == 0 ? 128 + random.nextInt(400) : random.nextBoolean() ? 1442 : 65_000;
        setup.ord = 1 + random.nextInt(6);
        setup.ird = setup.ord;
        setup.srqDepth = random.nextInt(4) == 0 ? SLOTS : 0;
        setup.first = MpaOptions.Rtr.values()[random.nextInt(3)];
        setup.sendNotBeforeNs = random.nextBoolean() ? SiwMachine.AT_ONCE : random.nextInt(50_000_000);
        setup.profile = new SimulatedTcp.Profile(1 << 10 + random.nextInt(10), 1 + random.nextInt(1 << random.nextInt(15)), 100_000,
            random.nextDouble() * 0.02, 200_000_000);
        boolean breaks = random.nextInt(3) == 0;
        int slotBytes = random.nextBoolean() ? SLOT_BYTES : 700;
        SiwPair pair = new SiwPair(seed, setup);
        Direction ab = new Direction(pair.a, pair.b, random, 1 + random.nextInt(SLOTS), slotBytes);
        Direction ba = new Direction(pair.b, pair.a, random, random.nextInt(SLOTS), slotBytes);
        if (breaks && random.nextBoolean()) {
            pair.tcp.breakAt((long) (random.nextDouble() * 80_000_000));
        } else if (breaks) {
            SimulatedTcp.Stop how = random.nextBoolean() ? SimulatedTcp.Stop.RESET : SimulatedTcp.Stop.END;
            pair.tcp.stopAfter(random.nextBoolean(), random.nextInt(1 << 1 + random.nextInt(18)), how);
        }
        try {
            pair.runUntil(() -> {
                step(ab, random, slotBytes);
                step(ba, random, slotBytes);
                return ab.isOver() && ba.isOver() || hasEnded(pair);
            });
            if (hasEnded(pair)) {
                pair.settle();
                finish(ab, slotBytes);
                finish(ba, slotBytes);
            }
            checkEnd(pair, ab, ba, breaks);
        } catch (RuntimeException | AssertionError wrong) {
            throw new AssertionError("seed " + seed, wrong);
        }
        return breaks;
    }

    /** Returns whether an end is in ERR. Completions need not show it: with a shared receive queue, no receive is flushed. */
    private static boolean hasEnded(SiwPair pair) {
        return pair.a.qp.state() == QpState.ERR || pair.b.qp.state() == QpState.ERR;
    }

    private static void step(Direction direction, SplittableRandom random, int slotBytes) {
        direction.check(slotBytes);
        for (int more = random.nextInt(5); more >= 0 && direction.posted < direction.plan.size(); more--) {
            direction.post(slotBytes);
        }
    }

    /** Posts further requests, which are accepted and flushed. */
    private static void finish(Direction direction, int slotBytes) {
        while (direction.posted < direction.plan.size()) {
            direction.post(slotBytes);
        }
    }

    private static void checkEnd(SiwPair pair, Direction ab, Direction ba, boolean breaks) {
        pair.settle();
        for (Direction direction : List.of(ab, ba)) {
            direction.check(Math.toIntExact(direction.source.memory().byteSize() / SLOTS));
            assertEquals(direction.plan.size(), direction.checkedSends, "every request completes");
            if (!breaks) {
                assertTrue(!direction.failed, "nothing fails on a sound connection");
                assertTrue(direction.isOver());
            } else if (direction.to.srq == null) {
                boolean died = direction.failed || ab.failed || ba.failed;
                assertTrue(direction.isOver() || !died, "every receive completes");
            }
            Set<Long> ids = new HashSet<>();
            for (WorkCompletion wc : direction.from.sends()) {
                assertTrue(ids.add(wc.wrId()), "once");
            }
        }
        long bad = 0;
        for (SiwPair.Side side : List.of(pair.a, pair.b)) {
            bad += side.counter("bad_crc") + side.counter("bad_framing") + side.counter("bad_segment") + side.counter("bad_access")
                + side.counter("no_buffer") + side.counter("too_long") + side.counter("local_errors") + side.counter("internal_errors")
                + side.counter("rcvd_terminates");
        }
        assertEquals(0, bad, "no error counter was incremented");
    }
}
