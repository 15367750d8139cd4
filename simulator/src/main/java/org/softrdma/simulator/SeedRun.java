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
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.WorkCompletion;

/**
 * One seed: two devices, one to three connections, everything the seed draws posted in both directions at once. First on a faulty network,
 * with applications that are slow, and that deregister and destroy what is in use: nothing wrong may happen. Then on a healed one with
 * prompt applications: everything must end, well or with its error, within a time that can be computed.
 */
public final class SeedRun {
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY;
    private static final int INBOX_PACKETS = 1 << 16;
    private static final int FIRST_SOURCE_PORT = 0xc000;
    /** So long an application waits to deregister until the region is just being written or read. */
    private static final int PATIENCE_PACKETS = 300;
    private static final long SILENCE_NS = 1_000_000_000L;

    private final Scenario scenario;
    private final SplittableRandom random;
    private final SimulatedFabric fabric;
    private final Simulation simulation;
    private final WireChecker wire = new WireChecker();
    private final Side a;
    private final Side b;
    private final List<RequestStream> streams = new ArrayList<>();
    private final List<Due> accidentsToCome;
    private final Workload workload;
    private final Pacemaker pacemaker;
    private final WorkCompletion[] polled = WorkCompletion.array(4);
    private boolean healed;
    private long healedForNs;
    private long boundNs;

    private SeedRun(long seed) {
        scenario = Scenario.draw(seed);
        random = new SplittableRandom(~seed);
        fabric = new SimulatedFabric(seed, scenario.faults(), scenario.startNs());
        simulation = new Simulation(fabric);
        pacemaker = new Pacemaker();
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
        accidentsToCome = new ArrayList<>(scenario.accidents().stream().map(this::due).toList());
        openMemory(a, scenario.iovaA());
        openMemory(b, scenario.iovaB());
        workload.settleSwaps();
    }

    private Side open(Gid gid) {
        LinkProfile profile = LinkProfile.DEFAULT.withIpHeader(scenario.ipHeader()).withInbox(INBOX_PACKETS);
        return new Side(SimulatedRxe.open(simulation, fabric.attach(profile, gid), random.split(), 9000), gid, random.split());
    }

    private static void openMemory(Side side, long iova) {
        side.memory.open(side.pd, iova, ACCESS | AccessFlags.MW_BIND);
        for (Endpoint each : side.endpoints) {
            if (each.doomed != null) {
                // The same addresses under another key: only the key says which region is meant.
                each.doomed.open(side.pd, iova, ACCESS);
            }
        }
    }

    private void addPair(int number) {
        Endpoint endA = addEndpoint(a, scenario.losesMemory(number, true));
        Endpoint endB = addEndpoint(b, scenario.losesMemory(number, false));
        int psnA = scenario.psnA() + number * 1000 & 0xffffff;
        int psnB = scenario.psnB() + number * 1000 & 0xffffff;
        connect(endA.qp, endB, psnA, psnB);
        connect(endB.qp, endA, psnB, psnA);
        wire.addFlow(a.gid, endA.qp.qpNum(), b.gid, endB.qp.qpNum(), flow(psnA));
        wire.addFlow(b.gid, endB.qp.qpNum(), a.gid, endA.qp.qpNum(), flow(psnB));
        streams.add(new RequestStream("a" + number, endA, endB, scenario, scenario.mayDie(number)));
        streams.add(new RequestStream("b" + number, endB, endA, scenario, scenario.mayDie(number)));
    }

    private Flow flow(int firstPsn) {
        return new Flow(firstPsn, scenario.mtu().bytes(), scenario.rdAtomic(), scenario.timeout());
    }

    private Endpoint addEndpoint(Side side, boolean losesMemory) {
        QpCapabilities cap = new QpCapabilities(scenario.sendDepth(), scenario.receiveDepth(), scenario.maxSge(), scenario.maxSge(),
            Side.MAX_INLINE);
        QueuePair qp = side.pd.createQp(new QpInitAttributes(QpType.RC, side.sendCq, side.recvCq, null, cap, scenario.signalAll()));
        Endpoint endpoint = new Endpoint(side, qp, losesMemory ? new ShadowedMemory(random.split(), true) : null);
        side.endpoints.add(endpoint);
        return endpoint;
    }

    private void connect(QueuePair qp, Endpoint peer, int sqPsn, int rqPsn) {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer.side.gid, 1)).pathMtu(scenario.mtu())
            .destQpn(peer.qp.qpNum()).rqPsn(rqPsn).maxDestRdAtomic(scenario.destRdAtomic()).minRnrTimer(scenario.minRnrTimer()));
        qp.modify(new QpAttributes().state(QpState.RTS).timeout(scenario.timeout()).retryCount(scenario.retryCount())
            .rnrRetry(scenario.rnrRetry()).sqPsn(sqPsn).maxRdAtomic(scenario.rdAtomic()));
    }

    // ---- a run ----

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
        String status;
        try {
            run.runUnderFaults();
            run.runHealed();
            run.checkEnd();
            status = run.status();
            run.close();
        } catch (AssertionError | RuntimeException wrong) {
            failure = wrong;
            status = run.status();
        }
        return new SeedResult(seed, failure, status, run.anyDied(), run.requestsDone(), run.wire.packets(), run.wire.digest());
    }

    private void runUnderFaults() {
        long healNs = fabric.nowNs() + scenario.healAfterUs() * 1_000L;
        simulation.runUntil(() -> step() || fabric.nowNs() >= healNs, healNs);
    }

    private void runHealed() {
        fabric.heal();
        healed = true;
        boundNs = TimeBound.of(scenario, streams);
        long startNs = fabric.nowNs();
        if (!simulation.runUntil(this::step, startNs + boundNs)) {
            throw new AssertionError("no end within " + boundNs + " ns on a healed network");
        }
        healedForNs = fabric.nowNs() - startNs;
        simulation.runFor(SILENCE_NS);
        step();
    }

    private void checkEnd() {
        workload.expectEffects();
        for (Side side : List.of(a, b)) {
            for (ShadowedMemory memory : side.memories()) {
                String difference = memory.difference();
                if (difference != null) {
                    throw new AssertionError("memory of " + (side == a ? "a" : "b") + ": " + difference);
                }
            }
        }
        checkCounters();
        if (wire.anyMute()) {
            throw new AssertionError("a responder saw gap after gap and never sent a NAK");
        }
        if (scenario.isPerfect() && wire.silences() > 0) {
            throw new AssertionError(wire.silences() + " times nothing came back in time on a perfect network");
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

    private void close() {
        a.close();
        b.close();
    }

    // ---- the applications ----

    /** The applications' turn: they take completions and post some more. @return whether all is done */
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
            if (healed) {
                stream.postAll();
            } else {
                postSome(stream, mayPost);
            }
            finished &= stream.isFinished();
        }
        pacemaker.more = !finished;
        return finished;
    }

    /** Now and then, so many. */
    private void postSome(RequestStream stream, boolean mayPost) {
        if (scenario.lateReceives() ? mayPost && random.nextInt(6) == 0 : mayPost || random.nextInt(2) == 0) {
            int receives = scenario.lateReceives() ? 1 : random.nextInt(40);
            while (receives > 0 && stream.postReceive()) {
                receives--;
            }
        }
        if (mayPost && random.nextInt(3) > 0) {
            int requests = 1 + random.nextInt(8);
            while (requests > 0 && stream.postRequest()) {
                requests--;
            }
        }
    }

    private void take(Side side) {
        for (AsyncEvent event = side.context.getAsyncEvent(0); event != null; event = side.context.getAsyncEvent(0)) {
            event.ack();
            if (!(event.element() instanceof QueuePair qp)) {
                throw new AssertionError("asynchronous event " + event.type() + " of " + event.element());
            }
            side.endpointOf(qp.qpNum()).onEvent(event.type());
        }
        for (int count = side.recvCq.poll(polled); count > 0; count = side.recvCq.poll(polled)) {
            for (int i = 0; i < count; i++) {
                streamTo(endpointOf(polled[i], side)).onReceiveCompletion(polled[i]);
            }
        }
        for (int count = side.sendCq.poll(polled); count > 0; count = side.sendCq.poll(polled)) {
            for (int i = 0; i < count; i++) {
                streamFrom(endpointOf(polled[i], side)).onSendCompletion(polled[i]);
            }
        }
    }

    private static Endpoint endpointOf(WorkCompletion wc, Side side) {
        Endpoint endpoint = side.endpointOf(wc.qpNum());
        if (endpoint.closed) {
            throw new AssertionError("completion of a queue pair that was destroyed: " + wc);
        }
        return endpoint;
    }

    private RequestStream streamFrom(Endpoint endpoint) {
        return streams.stream().filter(stream -> stream.initiator == endpoint).findFirst().orElseThrow();
    }

    private RequestStream streamTo(Endpoint endpoint) {
        return streams.stream().filter(stream -> stream.target == endpoint).findFirst().orElseThrow();
    }

    // ---- accidents ----

    /** An accident to come. @param afterPackets of its connection, both ways */
    private record Due(Accident accident, Endpoint victim, long afterPackets) {
    }

    private Due due(Accident accident) {
        RequestStream one = streams.get(2 * accident.pair());
        RequestStream other = streams.get(2 * accident.pair() + 1);
        int mtu = scenario.mtu().bytes();
        int planned = Workload.plannedPackets(one, mtu) + Workload.plannedPackets(other, mtu);
        return new Due(accident, accident.onA() ? one.initiator : one.target, (long) (accident.when() * planned));
    }

    /** Whether the time of an accident has come; then it has happened. */
    private boolean happens(Due due) {
        Endpoint victim = due.victim;
        if (victim.closed) {
            return true;
        }
        long late = wire.packetsOf(victim.side.gid, victim.qp.qpNum()) - due.afterPackets;
        if (late < 0 || due.accident.amid() && late < PATIENCE_PACKETS
            && !wire.isAmid(victim.side.gid, victim.qp.qpNum(), victim.doomed.region().rkey())) {
            return false;
        }
        // What is complete by now must not come later.
        take(victim.side);
        switch (due.accident.kind()) {
            case DEREGISTER -> deregister(victim);
            case TO_ERROR -> {
                victim.qp.modify(new QpAttributes().state(QpState.ERR));
                victim.toldToFail = true;
                wire.expectSilence(victim.side.gid, victim.qp.qpNum(), false);
            }
            case DESTROY -> {
                int qpn = victim.qp.qpNum();
                victim.qp.close();
                victim.closed = true;
                wire.expectSilence(victim.side.gid, qpn, true);
            }
            default -> throw new AssertionError(due);
        }
        return true;
    }

    private void deregister(Endpoint victim) {
        if (!victim.lostMemory()) {
            wire.expectUnused(victim.side.gid, victim.doomed.region().rkey());
            victim.doomed.deregister();
        }
    }

    // ---- for people ----

    /** Where every stream stands. */
    private String status() {
        StringBuilder text = new StringBuilder(1000).append(scenario).append("\n  now ").append(fabric.nowNs()).append(" ns");
        if (healed) {
            text.append(", healed network took ").append(healedForNs).append(" of ").append(boundNs).append(" ns");
        }
        accidentsToCome.forEach(due -> text.append(", still to come ").append(due.accident));
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

    /** Wakes the application now and then, as its own work would, and causes accidents while the devices are at work. */
    private final class Pacemaker implements DeviceWork {
        private long nextNs = scenario.startNs();
        private boolean beat = true;
        private boolean more = true;

        @Override
        public int doWork(long nowNs) {
            boolean accident = accidentsToCome.removeIf(SeedRun.this::happens);
            if (nowNs >= nextNs) {
                nextNs = nowNs + 1_000 + random.nextInt(scenario.lateReceives() ? 2_000_000 : 100_000);
                beat = true;
            }
            return accident ? 1 : 0;
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
