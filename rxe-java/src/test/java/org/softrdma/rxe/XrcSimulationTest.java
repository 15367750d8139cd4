// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.XrcDomain;

/** One XRC connection, three shared receive queues behind it, every operation of XRC, on a network that loses and reorders packets. */
class XrcSimulationTest {
    private static final int REQUESTS = 300;
    private static final int SLOT = 8192;
    private static final long SECOND_NS = 1_000_000_000L;

    private final Gid alice = Gid.ofIpv4(0x0a000001);
    private final Gid bob = Gid.ofIpv4(0x0a000002);
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();

    /** A process at the far end: a shared receive queue, and memory in a protection domain of its own. */
    private final class Far {
        final SharedReceiveQueue srq;
        final CompletionQueue cq;
        final MemoryRegion received;
        final MemoryRegion shared;
        final List<byte[]> expected = new ArrayList<>();
        final List<Integer> immediates = new ArrayList<>();
        long counter;

        Far(Context context, XrcDomain domain, SplittableRandom random) {
            ProtectionDomain pd = context.allocatePd();
            cq = context.createCq(REQUESTS);
            srq = domain.createSrq(pd, cq, REQUESTS, 1, 0);
            received = pd.register(Arena.ofAuto().allocate((long) REQUESTS * SLOT, 64), AccessFlags.LOCAL_WRITE);
            shared = pd.register(Arena.ofAuto().allocate((long) (REQUESTS + 2) * SLOT, 64), SimulatedPair.ALL_REMOTE);
            fill(shared, random);
            shared.memory().set(ValueLayout.JAVA_LONG, 0, 0);
            for (int i = 0; i < REQUESTS; i++) {
                srq.postReceive(recv.begin(i).element(received, (long) i * SLOT, SLOT));
            }
        }

        void check() {
            WorkCompletion[] done = WorkCompletion.array(REQUESTS);
            assertEquals(expected.size(), cq.poll(done));
            for (int i = 0; i < expected.size(); i++) {
                assertEquals(WcStatus.SUCCESS, done[i].status());
                assertEquals(i, done[i].wrId());
                assertEquals(immediates.get(i), done[i].immediate());
                if (expected.get(i) != null) {
                    assertArrayEquals(expected.get(i), bytes(received, i * SLOT, done[i].byteLength()), "message " + i);
                }
            }
            assertEquals(counter, shared.memory().get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldDoEverythingOnceAndInTheRightPlaceOnABadNetwork(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        SimulatedFabric fabric = new SimulatedFabric(seed, FaultPlan.NONE.withLoss(0.05).withReordering(0.1, 50_000));
        Simulation simulation = new Simulation(fabric);
        Context a = SimulatedRxe.open(simulation, fabric.attach(alice), random.split(), 9000);
        Context b = SimulatedRxe.open(simulation, fabric.attach(bob), random.split(), 9000);
        XrcDomain domain = b.openXrcd(null, XrcDomain.CREATE);
        List<Far> far = List.of(new Far(b, domain, random), new Far(b, domain, random), new Far(b, domain, random));
        ProtectionDomain pd = a.allocatePd();
        CompletionQueue cq = a.createCq(REQUESTS);
        QueuePair initiator = pd.createQp(QpInitAttributes.xrcSend(cq, new QpCapabilities(REQUESTS, 0, 1, 0, 0)));
        QueuePair target = domain.createTarget();
        connect(initiator, target);
        MemoryRegion near = pd.register(Arena.ofAuto().allocate((long) REQUESTS * SLOT, 64), AccessFlags.LOCAL_WRITE);
        fill(near, random);
        List<Runnable> checks = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            checks.add(post(initiator, i, far.get(random.nextInt(3)), near, random));
        }

        List<String> done = new ArrayList<>();
        if (!simulation.runUntil(() -> drain(cq, done) == REQUESTS, 600 * SECOND_NS)) {
            throw new AssertionError(done.size() + " of " + REQUESTS + " completions; seed " + seed);
        }
        for (int i = 0; i < REQUESTS; i++) {
            assertEquals(i + " SUCCESS", done.get(i), "seed " + seed);
        }
        far.forEach(Far::check);
        checks.forEach(Runnable::run);
    }

    private static int drain(CompletionQueue cq, List<String> into) {
        WorkCompletion[] one = WorkCompletion.array(1);
        while (cq.poll(one) > 0) {
            into.add(one[0].wrId() + " " + one[0].status());
        }
        return into.size();
    }

    /** @return what must be true once everything is done */
    private Runnable post(QueuePair initiator, int i, Far to, MemoryRegion near, SplittableRandom random) {
        int at = i * SLOT;
        int length = random.nextInt(5000);
        byte[] payload = bytes(near, at, length);
        long slot = to.shared.address() + at + SLOT;
        int rkey = to.shared.rkey();
        int immediate = random.nextInt(1, 1 << 30);
        long add = random.nextLong(1000);
        Runnable check = () -> { };
        switch (random.nextInt(7)) {
            case 0 -> {
                wr.send();
                to.expected.add(payload);
                to.immediates.add(0);
            }
            case 1 -> {
                wr.sendWithImmediate(immediate);
                to.expected.add(payload);
                to.immediates.add(immediate);
            }
            case 2 -> {
                wr.write(slot, rkey);
                check = () -> assertArrayEquals(payload, bytes(to.shared, at + SLOT, length), "write " + i);
            }
            case 3 -> {
                wr.writeWithImmediate(slot, rkey, immediate);
                to.expected.add(null);
                to.immediates.add(immediate);
                check = () -> assertArrayEquals(payload, bytes(to.shared, at + SLOT, length), "write " + i);
            }
            case 4 -> {
                wr.read(slot, rkey);
                byte[] there = bytes(to.shared, at + SLOT, length);
                check = () -> assertArrayEquals(there, bytes(near, at, length), "read " + i);
            }
            case 5 -> {
                wr.fetchAndAdd(to.shared.address(), rkey, add);
                long found = to.counter;
                to.counter += add;
                check = () -> assertEquals(found, near.memory().get(ValueLayout.JAVA_LONG, at), "add " + i);
            }
            default -> {
                wr.compareAndSwap(to.shared.address(), rkey, to.counter, add);
                long found = to.counter;
                to.counter = add;
                check = () -> assertEquals(found, near.memory().get(ValueLayout.JAVA_LONG, at), "swap " + i);
            }
        }
        boolean atomic = wr.opcode().name().startsWith("ATOMIC");
        initiator.postSend(wr.wrId(i).toSrq(to.srq.number()).element(near, at, atomic ? 8 : length).signaled());
        return check;
    }

    private void connect(QueuePair initiator, QueuePair target) {
        initiator.modify(init(0));
        initiator.modify(rtr(bob, target.qpNum()).rqPsn(0));
        initiator.modify(new QpAttributes().state(QpState.RTS).timeout(14).retryCount(7).rnrRetry(7).sqPsn(0xffff00).maxRdAtomic(4));
        target.modify(init(AccessFlags.REMOTE_ANY));
        target.modify(rtr(alice, initiator.qpNum()).rqPsn(0xffff00).maxDestRdAtomic(4).minRnrTimer(12));
        target.modify(new QpAttributes().state(QpState.RTS).timeout(14).sqPsn(0));
    }

    private static QpAttributes init(int access) {
        return new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(access);
    }

    private static QpAttributes rtr(Gid peer, int qpn) {
        return new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer, 1)).pathMtu(Mtu.MTU_1024).destQpn(qpn);
    }

    private static void fill(MemoryRegion region, SplittableRandom random) {
        byte[] content = new byte[(int) region.memory().byteSize()];
        random.nextBytes(content);
        region.memory().copyFrom(java.lang.foreign.MemorySegment.ofArray(content));
    }

    private static byte[] bytes(MemoryRegion region, int at, int length) {
        return region.memory().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    }
}
