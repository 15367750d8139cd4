// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.softrdma.device.DeviceWork;
import org.softrdma.device.sim.Fate;
import org.softrdma.device.sim.LinkProfile;
import org.softrdma.device.sim.PacketObserver;
import org.softrdma.device.sim.SimulatedFabric;
import org.softrdma.device.sim.Simulation;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.WorkCompletion;

/**
 * One seed: two devices, one to three connections, everything the seed draws posted in both directions at once, first on a faulty fabric,
 * then on a healed one that must bring everything to its end.
 */
public final class SeedRun {
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND;
    private static final long PATIENCE_NS = 300_000_000_000L;
    private static final int INBOX_PACKETS = 1 << 16;
    private static final int FIRST_SOURCE_PORT = 0xc000;

    private final Scenario scenario;
    private final SplittableRandom random;
    private final SimulatedFabric fabric;
    private final Simulation simulation;
    private final WireChecker wire = new WireChecker();
    private final Side a;
    private final Side b;
    private final List<RequestStream> streams = new ArrayList<>();
    private final Workload workload;
    private final Pacemaker pacemaker = new Pacemaker();
    private final WorkCompletion[] polled = WorkCompletion.array(4);

    private SeedRun(long seed) {
        scenario = Scenario.draw(seed);
        random = new SplittableRandom(~seed);
        fabric = new SimulatedFabric(seed, scenario.faults());
        simulation = new Simulation(fabric);
        simulation.add(pacemaker);
        fabric.observe(wire);
        a = open(scenario.ipv6() ? new Gid(0xfd00L << 48, 1) : Gid.ofIpv4(0x0a000001));
        b = open(scenario.ipv6() ? new Gid(0xfd00L << 48, 2) : Gid.ofIpv4(0x0a000002));
        wire.addAddress(a.gid, FIRST_SOURCE_PORT);
        wire.addAddress(b.gid, FIRST_SOURCE_PORT + 1);
        if (scenario.ipHeader() == LinkProfile.IpHeader.HIDDEN_RANDOM) {
            wire.expectRewrittenIcrc();
        }
        for (int i = 0; i < scenario.pairs(); i++) {
            addPair(i);
        }
        workload = new Workload(scenario, random.split());
        workload.plan(streams);
        a.memory.open(a.pd, scenario.iovaA(), ACCESS);
        b.memory.open(b.pd, scenario.iovaB(), ACCESS);
        workload.settleSwaps();
    }

    private Side open(Gid gid) {
        LinkProfile profile = LinkProfile.DEFAULT.withIpHeader(scenario.ipHeader()).withInbox(INBOX_PACKETS);
        return new Side(SimulatedRxe.open(simulation, fabric.attach(profile, gid), random.split(), 9000), gid, random.split());
    }

    private void addPair(int number) {
        QueuePair qpA = a.addQueuePair(scenario);
        QueuePair qpB = b.addQueuePair(scenario);
        int psnA = scenario.psnA() + number * 1000 & 0xffffff;
        int psnB = scenario.psnB() + number * 1000 & 0xffffff;
        connect(qpA, qpB, b.gid, psnA, psnB);
        connect(qpB, qpA, a.gid, psnB, psnA);
        int mtu = scenario.mtu().bytes();
        wire.addFlow(a.gid, qpA.qpNum(), b.gid, qpB.qpNum(), psnA, mtu);
        wire.addFlow(b.gid, qpB.qpNum(), a.gid, qpA.qpNum(), psnB, mtu);
        streams.add(new RequestStream("a" + number, a, qpA, b, qpB, scenario.mayDie()));
        streams.add(new RequestStream("b" + number, b, qpB, a, qpA, scenario.mayDie()));
    }

    private void connect(QueuePair qp, QueuePair peer, Gid peerGid, int sqPsn, int rqPsn) {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peerGid, 1)).pathMtu(scenario.mtu())
            .destQpn(peer.qpNum()).rqPsn(rqPsn).maxDestRdAtomic(scenario.destRdAtomic()).minRnrTimer(scenario.minRnrTimer()));
        qp.modify(new QpAttributes().state(QpState.RTS).timeout(scenario.timeout()).retryCount(scenario.retryCount())
            .rnrRetry(scenario.rnrRetry()).sqPsn(sqPsn).maxRdAtomic(scenario.rdAtomic()));
    }

    /** Runs a seed from beginning to end. Whatever goes wrong is in the result. */
    public static SeedResult of(long seed) {
        return of(seed, null);
    }

    /** As {@link #of(long)}. @param trace sees every packet; null for nobody */
    public static SeedResult of(long seed, PacketObserver trace) {
        SeedRun run = new SeedRun(seed);
        if (trace != null) {
            run.fabric.observe((nowNs, from, to, packet, offset, length, fate) -> {
                trace.onPacket(nowNs, from, to, packet, offset, length, fate);
                run.wire.onPacket(nowNs, from, to, packet, offset, length, fate);
            });
        }
        Throwable failure = null;
        try {
            run.run();
        } catch (AssertionError | RuntimeException wrong) {
            failure = wrong;
        }
        return new SeedResult(seed, failure, run.status(), run.anyDied(), run.requestsDone(), run.wire.packets(), run.wire.digest());
    }

    /** Runs to the end and checks everything. */
    private void run() {
        long healNs = scenario.healAfterUs() * 1_000L;
        if (!simulation.runUntil(() -> step() || fabric.nowNs() >= healNs, PATIENCE_NS)) {
            throw new AssertionError("the faulty phase does not end");
        }
        fabric.heal();
        if (!simulation.runUntil(this::step, fabric.nowNs() + PATIENCE_NS)) {
            throw new AssertionError("no end on a healed fabric: " + status());
        }
        simulation.runFor(1_000_000_000L);
        step();
        workload.expectEffects();
        checkMemory(a, "a");
        checkMemory(b, "b");
        checkCounters();
    }

    private void checkMemory(Side side, String name) {
        String difference = side.memory.difference();
        if (difference != null) {
            throw new AssertionError("memory of " + name + ": " + difference);
        }
    }

    /** Every packet that reached a device was either taken or dropped under a name. */
    private void checkCounters() {
        long accounted = 0;
        for (Side side : List.of(a, b)) {
            Map<String, Long> counters = side.context.counters();
            for (String name : List.of("rcvd_pkts", "drop_too_short", "drop_bad_length", "drop_bad_version", "drop_bad_port",
                "drop_unknown_qpn", "drop_bad_icrc", "drop_bad_pkey", "drop_wrong_address")) {
                accounted += counters.get(name);
            }
        }
        if (accounted != fabric.count(Fate.DELIVERED)) {
            throw new AssertionError(fabric.count(Fate.DELIVERED) + " packets delivered, " + accounted + " counted");
        }
    }

    /** The application's turn: takes completions, posts some more. @return whether all is done */
    private boolean step() {
        boolean mayPost = pacemaker.beat;
        pacemaker.beat = false;
        take(a);
        take(b);
        if (wire.complaint() != null) {
            throw new AssertionError("on the wire: " + wire.complaint());
        }
        boolean finished = true;
        for (RequestStream stream : streams) {
            if (scenario.lateReceives() ? mayPost && random.nextInt(6) == 0 : mayPost || random.nextInt(2) == 0) {
                for (int i = scenario.lateReceives() ? 1 : random.nextInt(40); i > 0 && stream.postReceive(); i--) {
                    pacemaker.more = true;
                }
            }
            if (mayPost && random.nextInt(3) > 0) {
                for (int i = random.nextInt(8); i >= 0 && stream.postRequest(); i--) {
                    pacemaker.more = true;
                }
            }
            finished &= stream.isFinished();
        }
        pacemaker.more = !finished;
        return finished;
    }

    private void take(Side side) {
        String event = side.event();
        if (event != null) {
            throw new AssertionError("asynchronous event " + event);
        }
        for (int count = side.recvCq.poll(polled); count > 0; count = side.recvCq.poll(polled)) {
            for (int i = 0; i < count; i++) {
                receiverOf(polled[i].qpNum(), side).onReceiveCompletion(polled[i]);
            }
        }
        for (int count = side.sendCq.poll(polled); count > 0; count = side.sendCq.poll(polled)) {
            for (int i = 0; i < count; i++) {
                initiatorOf(polled[i].qpNum(), side).onSendCompletion(polled[i]);
            }
        }
    }

    private RequestStream initiatorOf(int qpn, Side side) {
        return streams.stream().filter(stream -> stream.initiator == side && stream.qp.qpNum() == qpn).findFirst().orElseThrow();
    }

    private RequestStream receiverOf(int qpn, Side side) {
        return streams.stream().filter(stream -> stream.target == side && stream.peerQp.qpNum() == qpn).findFirst().orElseThrow();
    }

    /** For people: where every stream stands. */
    private String status() {
        StringBuilder text = new StringBuilder(1000).append(scenario).append(", now ").append(fabric.nowNs()).append(" ns");
        for (RequestStream stream : streams) {
            text.append("\n  ").append(stream.status());
        }
        for (Side side : List.of(a, b)) {
            text.append("\n  ").append(side.gid);
            side.context.counters().forEach((name, value) -> text.append(value == 0 ? "" : " " + name + " " + value));
        }
        return text.toString();
    }

    private boolean anyDied() {
        return streams.stream().anyMatch(RequestStream::isDead);
    }

    private int requestsDone() {
        return streams.stream().mapToInt(RequestStream::done).sum();
    }

    /** Wakes the application now and then, as its own work would. */
    private final class Pacemaker implements DeviceWork {
        private long nextNs;
        private boolean beat = true;
        private boolean more = true;

        @Override
        public int doWork(long nowNs) {
            if (nowNs >= nextNs) {
                nextNs = nowNs + 1_000 + random.nextInt(scenario.lateReceives() ? 2_000_000 : 100_000);
                beat = true;
            }
            return 0;
        }

        @Override
        public long deadlineNs() {
            return more ? nextNs : Long.MAX_VALUE;
        }

        @Override
        public void await(long timeoutNs) {
        }

        @Override
        public void wakeup() {
        }
    }
}
