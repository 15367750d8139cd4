// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.sim.Fate;
import org.softrdma.link.sim.LinkProfile;
import org.softrdma.link.sim.PacketObserver;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rxe.RxeOptions;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.SendFlags;

/**
 * One seed: two devices, queue pairs of one service or several, everything the seed draws posted in both directions at once. First on a
 * faulty network, with applications that are slow, and that deregister and destroy what is in use: nothing wrong may happen. Then on a
 * healed one with prompt applications: everything must end, well or with its error, within a time that can be computed. At last each queue
 * pair whose messages may get lost sends one more, which must not.
 */
public final class SeedRun {
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY;
    private static final int INBOX_PACKETS = 1 << 16;
    private static final int FIRST_SOURCE_PORT = 0xc000;
    private static final long SILENCE_NS = 1_000_000_000L;

    private final Scenario scenario;
    private final SplittableRandom random;
    private final SimulatedFabric fabric;
    private final Simulation simulation;
    private final WireChecker wire = new WireChecker();
    private final Side a;
    private final Side b;
    /** Streams of UC and UD. */
    private final List<RequestStream> looseStreams;
    private final List<RequestStream> allStreams = new ArrayList<>();
    private final CompletionDispatch completions;
    private final Accidents accidents;
    private final Workload workload;
    private final LooseWorkload looseWorkload;
    private final Pacemaker pacemaker;
    /** The applications take no completions until their next turn; then they resize completion queues that hold some. */
    private boolean napping;
    private int keptByResizes;
    private boolean healed;
    private long healedForNs;
    private long boundNs;

    SeedRun(long seed) {
        scenario = Scenario.draw(seed);
        random = new SplittableRandom(~seed);
        fabric = new SimulatedFabric(seed, scenario.faults(), scenario.startNs());
        simulation = new Simulation(fabric);
        pacemaker = new Pacemaker();
        simulation.add(pacemaker);
        fabric.observe(wire);
        a = open(scenario.ipv6() ? new Gid(0xfd00L << 48, 1) : Gid.ofIpv4(0x0a000001), scenario.optionsA());
        b = open(scenario.ipv6() ? new Gid(0xfd00L << 48, 2) : Gid.ofIpv4(0x0a000002), scenario.optionsB());
        wire.addAddress(a.gid, FIRST_SOURCE_PORT);
        wire.addAddress(b.gid, FIRST_SOURCE_PORT + 1);
        if (scenario.ipHeader() == LinkProfile.IpHeader.HIDDEN_RANDOM) {
            wire.expectRewrittenIcrc();
        }
        QueuePairSetup queuePairs = new QueuePairSetup(scenario, random, wire, a, b);
        queuePairs.addAll();
        looseStreams = queuePairs.looseStreams();
        workload = new Workload(scenario, random.split());
        workload.plan(queuePairs.streams());
        looseWorkload = new LooseWorkload(scenario, random.split());
        looseWorkload.plan(looseStreams);
        allStreams.addAll(queuePairs.streams());
        allStreams.addAll(looseStreams);
        completions = new CompletionDispatch(wire, queuePairs.streams(), allStreams, looseWorkload);
        accidents = new Accidents(wire, completions::takeAll);
        openMemory(a, scenario.iovaA());
        openMemory(b, scenario.iovaB());
        awaitBindings();
        for (Accident accident : scenario.accidents()) {
            Endpoint victim = (accident.onA() ? a : b).endpoints.get(accident.victim());
            accidents.add(accident, victim, plannedPackets(accident.victim()));
        }
        workload.settleSwaps();
        looseWorkload.stamp();
    }

    /** Of the queue pairs with this number, on both sides. */
    private int plannedPackets(int number) {
        int packets = 0;
        for (RequestStream stream : allStreams) {
            boolean own = a.endpoints.get(number) == stream.initiator || b.endpoints.get(number) == stream.initiator;
            packets += own ? Workload.plannedPackets(stream, scenario.mtu().bytes()) : 0;
        }
        return packets;
    }

    private Side open(Gid gid, QueuePairOptions options) {
        LinkProfile profile = LinkProfile.DEFAULT.withIpHeader(scenario.ipHeader()).withInbox(INBOX_PACKETS);
        Context context = SimulatedRxe.open(simulation, fabric.attach(profile, gid), random.split(), 9000,
            RxeOptions.DEFAULT.withRecovery(options.recovery()).withKeepAliveNs(options.keepAliveNs())
                .withSegmentation(options.segmentation()));
        return new Side(context, gid, random.split());
    }

    private void openMemory(Side side, long iova) {
        side.memory.open(side.pd, iova, ACCESS | AccessFlags.MW_BIND);
        for (Endpoint each : side.endpoints) {
            if (each.doomed != null) {
                // The same addresses under another key: only the key says which region is meant.
                each.doomed.open(side.pd, iova, ACCESS | AccessFlags.MW_BIND);
            }
            if (each.window != null) {
                MemoryRegion region = each.doomed.region();
                each.qp.bind(each.window, CompletionDispatch.BIND_ID, region, region.address(), region.length(), AccessFlags.REMOTE_ANY,
                    SendFlags.SIGNALED);
                completions.expectBinding();
                each.doomed.openBy(each.window);
            }
        }
    }

    /** No application frees a window, or tells its peer the key, before it knows that the window is bound. */
    private void awaitBindings() {
        boolean bound = simulation.runUntil(() -> {
            completions.takeAll(a);
            completions.takeAll(b);
            return completions.unfinishedBindings() == 0;
        }, fabric.nowNs());
        if (!bound) {
            throw new AssertionError(completions.unfinishedBindings() + " windows were not bound at once, though nothing else was posted");
        }
    }

    // ---- a run ----

    /** Runs a seed from beginning to end. Whatever goes wrong is in the result. */
    public static SeedResult of(long seed) {
        return of(seed, null);
    }

    /**
     * As {@link #of(long)}.
     *
     * @param trace sees every packet; null for nobody
     */
    public static SeedResult of(long seed, PacketObserver trace) {
        return of(seed, trace, null);
    }

    /** Something that runs in the same simulation. */
    public interface Companion {
        /** Begins, before anything has happened. */
        void join(Simulation simulation);

        /** Runs to its end, when all else is done. */
        void finish();
    }

    /**
     * Runs a seed with other devices beside.
     *
     * @param trace sees every packet; null for none
     * @param other runs in the same simulation; null for none
     */
    public static SeedResult of(long seed, PacketObserver trace, Companion other) {
        SeedRun run = new SeedRun(seed);
        if (trace != null) {
            run.fabric.observe((nowNs, from, to, packet, offset, length, fate) -> {
                trace.onPacket(nowNs, from, to, packet, offset, length, fate);
                run.wire.onPacket(nowNs, from, to, packet, offset, length, fate);
            });
        }
        return run.result(other);
    }

    /**
     * Runs to the end.
     *
     * @param other runs in the same simulation; null for none
     */
    SeedResult result(Companion other) {
        Throwable failure = null;
        String status;
        boolean died = false;
        try {
            if (other != null) {
                other.join(simulation);
            }
            runUnderFaults();
            runHealed();
            hearLastWords();
            if (other != null) {
                other.finish();
            }
            checkEnd();
            status = status();
            died = anyDied();
            close();
        } catch (AssertionError | RuntimeException wrong) {
            failure = wrong;
            status = status();
        }
        return new SeedResult(scenario.seed(), failure, status, died, requestsDone(), wire.packets(), wire.digest());
    }

    /** Completions that were in the shared completion queues when these were resized. */
    int keptByResizes() {
        return keptByResizes;
    }

    /** Completion queues that have overrun. */
    int overruns() {
        return completions.overruns();
    }

    private void runUnderFaults() {
        long healNs = fabric.nowNs() + scenario.healAfterUs() * 1_000L;
        simulation.runUntil(() -> step() || fabric.nowNs() >= healNs, healNs);
    }

    private void runHealed() {
        fabric.heal();
        healed = true;
        for (Side side : List.of(a, b)) {
            accidents.end(side.endpoints);
        }
        boundNs = TimeBound.of(scenario, allStreams);
        long startNs = fabric.nowNs();
        if (!simulation.runUntil(this::step, startNs + boundNs)) {
            throw new AssertionError("no end within " + boundNs + " ns on a healed network");
        }
        healedForNs = fabric.nowNs() - startNs;
        simulation.runFor(SILENCE_NS);
        step();
    }

    /** One after the other, so that there is a receive for each, and nothing that could come between. */
    private void hearLastWords() {
        long mostNs = 2 * scenario.faults().delayMaxNs();
        for (RequestStream stream : looseStreams) {
            PlannedRequest word = looseWorkload.sayLastWord(stream);
            if (word == null) {
                continue;
            }
            long untilNs = fabric.nowNs() + mostNs;
            if (!simulation.runUntil(() -> step() && looseWorkload.wasHeard(word), untilNs)) {
                throw new AssertionError("never received: " + word + " to " + word.to);
            }
            // Nor twice.
            simulation.runFor(mostNs);
            step();
            if (!looseWorkload.wasHeard(word)) {
                throw new AssertionError("received more than once: " + word);
            }
        }
    }

    private void checkEnd() {
        workload.expectEffects();
        looseWorkload.expectEffects();
        for (Side side : List.of(a, b)) {
            for (ShadowedMemory memory : side.memories()) {
                String difference = memory.difference();
                if (difference != null) {
                    throw new AssertionError("memory of " + (side == a ? "a" : "b") + ": " + difference);
                }
            }
        }
        checkCounters();
        for (Side side : List.of(a, b)) {
            LooseWorkload.expectLossesCounted(side.endpoints, side.context.counters());
            for (Endpoint each : side.endpoints) {
                if (each.sharesReceives() && !each.closed && each.isDead() && !each.saidLast) {
                    throw new AssertionError("no QP_LAST_WQE_REACHED of qp 0x" + Integer.toHexString(each.qp.qpNum()));
                }
            }
        }
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
                "drop_unknown_qpn", "drop_unknown_opcode", "drop_bad_icrc", "drop_bad_pkey", "drop_wrong_address",
                "drop_unknown_group")) {
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

    /**
     * The applications' turn: they take completions and post some more.
     *
     * @return whether all is done
     */
    private boolean step() {
        boolean mayPost = pacemaker.beat;
        pacemaker.beat = false;
        boolean wakesUp = napping && (mayPost || healed);
        if (wakesUp) {
            napping = false;
            resizeQueues(a);
            resizeQueues(b);
        }
        if (!napping) {
            int taken = completions.takeAll(a) + completions.takeAll(b);
            keptByResizes += wakesUp ? taken : 0;
        }
        if (wire.complaint() != null) {
            throw new AssertionError("on the wire: " + wire.complaint());
        }
        for (Side side : List.of(a, b)) {
            if (wakesUp && side.shared != null) {
                side.shared.meddle(random);
            }
            postToPools(side, mayPost);
        }
        boolean finished = true;
        for (RequestStream stream : allStreams) {
            if (healed) {
                stream.postAll();
            } else {
                postSome(stream, mayPost);
            }
            finished &= stream.isFinished();
        }
        pacemaker.more = !finished;
        napping |= mayPost && !healed && scenario.mix().meddling() > 0 && random.nextDouble() < scenario.mix().meddling();
        return finished;
    }

    private void resizeQueues(Side side) {
        for (CompletionQueue queue : List.of(side.sendCq, side.recvCq)) {
            queue.resize(side.mostCompletions() + random.nextInt(100));
        }
    }

    /** Receives for whatever comes. */
    private void postToPools(Side side, boolean mayPost) {
        if (side.shared != null) {
            postSome(side.shared, mayPost);
        }
        for (Endpoint each : side.endpoints) {
            if (each.pool != null && !each.pool.isShared() && !each.isDead()) {
                postSome(each.pool, mayPost);
            }
        }
    }

    private void postSome(ReceivePool pool, boolean mayPost) {
        if (healed) {
            pool.postAll();
        } else if (scenario.lateReceives() ? mayPost && random.nextInt(6) == 0 : mayPost || random.nextInt(2) == 0) {
            int receives = scenario.lateReceives() ? 1 : random.nextInt(40);
            while (receives > 0 && pool.post()) {
                receives--;
            }
        }
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

    // ---- for people ----

    /** Where every stream stands. */
    private String status() {
        StringBuilder text = new StringBuilder(1000).append(scenario).append("\n  now ").append(fabric.nowNs()).append(" ns");
        if (healed) {
            text.append(", healed network took ").append(healedForNs).append(" of ").append(boundNs).append(" ns");
        }
        text.append(accidents);
        for (RequestStream stream : allStreams) {
            text.append("\n  ").append(stream.status());
        }
        for (Side side : List.of(a, b)) {
            text.append("\n  ").append(side.gid).append(side.shared == null ? "" : ", " + side.shared.status());
            for (Endpoint each : side.endpoints) {
                text.append(each.arrivals == null ? "" : ", " + each.service + " received " + each.arrivals.received() + ", not "
                    + each.arrivals.lost());
            }
            side.context.counters().forEach((name, value) -> text.append(value == 0 ? "" : " " + name + " " + value));
        }
        return text.toString();
    }

    private boolean anyDied() {
        return allStreams.stream().anyMatch(RequestStream::isDead);
    }

    private int requestsDone() {
        return allStreams.stream().mapToInt(RequestStream::done).sum();
    }

    /** Wakes the application now and then, as its own work would, and causes accidents while the devices are at work. */
    private final class Pacemaker implements DeviceWork {
        private long nextNs = scenario.startNs();
        private boolean beat = true;
        private boolean more = true;

        @Override
        public int doWork(long nowNs) {
            boolean accident = accidents.happen(nowNs);
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
