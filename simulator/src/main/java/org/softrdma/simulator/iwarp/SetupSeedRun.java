// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.VirtualClock;
import org.softrdma.simulator.SeedResult;
import org.softrdma.siw.SimulatedSiw;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.sim.SimulatedTcp;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * One seed of an iWARP connection from its first byte to its last: random options, and a stream that splits and stalls and in most runs
 * fails within the first bytes: it breaks, ends, goes silent, or has a damaged byte. Checked from outside: each end reports one outcome,
 * data received with a CRC equals the data sent, and finally no stream and no timer is left.
 */
public final class SetupSeedRun {
    private static final long SECOND = 1_000_000_000L;
    private static final int MESSAGES = 6;
    private static final int MESSAGE_BYTES = 300;
    private static final int DEPTH = 4;
    /** Range of the failure's position: the start-up frames and some messages. */
    private static final int ACCIDENT_BYTES = 1500;
    /** More than all the time limits of a connection's end together. */
    private static final long LAST_NS = 1_200 * SECOND;
    private static final Set<List<String>> OF_INITIATOR = Set.of(List.of("failed"), List.of("timed out"), List.of("rejected"),
        List.of("agreed", "disconnected"));
    private static final Set<List<String>> OF_RESPONDER = Set.of(List.of("failed"), List.of("timed out"), List.of("request"),
        List.of("request", "failed"), List.of("request", "agreed", "disconnected"));

    private final long seed;
    private final SplittableRandom random;
    private final Simulation simulation;
    private final SimulatedTcp tcp;
    private final IwarpEnd a;
    private final IwarpEnd b;
    private final Log ofA = new Log();
    private final Log ofB = new Log();
    private final byte[] toA;
    private final byte[] toB;
    private final MemoryRegion inA;
    private final MemoryRegion inB;
    private MpaOptions optionsA;
    private MpaOptions optionsB;
    private boolean refuses;
    private long bytes;
    private long digest = 1;

    /** Record of the events at one end. */
    private static final class Log implements SimulatedSiw.SetupListener {
        private final List<String> events = new ArrayList<>();
        private QueuePair accepts;

        @Override
        public QueuePair onRequest() {
            events.add("request");
            return accepts;
        }

        @Override
        public void onAgreed() {
            events.add("agreed");
        }

        @Override
        public void onRejected() {
            events.add("rejected");
        }

        @Override
        public void onFailed(boolean timedOut) {
            events.add(timedOut ? "timed out" : "failed");
        }

        @Override
        public void onDisconnected() {
            events.add("disconnected");
        }
    }

    private SetupSeedRun(long seed, Consumer<String> trace) {
        this.seed = seed;
        random = new SplittableRandom(seed);
        simulation = new Simulation(new VirtualClock(seed));
        long stallNs = random.nextInt(4) == 0 ? 3 * SECOND : 20_000_000;
        SimulatedTcp.Profile profile = new SimulatedTcp.Profile(1 << 12, 1 + random.nextInt(1 << random.nextInt(11)), 10_000,
            random.nextDouble() * 0.02, stallNs);
        tcp = new SimulatedTcp(random.split(), simulation.world()::nowNs, profile);
        simulation.add(tcp);
        tcp.observe((fromLeft, piece) -> {
            bytes += piece.length;
            digest = 31 * (31 * digest + simulation.world().nowNs()) + Arrays.hashCode(piece);
            if (trace != null) {
                trace.accept(String.format(Locale.ROOT, "%,15d ns  %s  %s", simulation.world().nowNs(), fromLeft ? "a > b" : "b > a",
                    HexFormat.of().formatHex(piece)));
            }
        });
        a = new IwarpEnd("a", simulation, random.split(), false);
        b = new IwarpEnd("b", simulation, random.split(), false);
        toA = message();
        toB = message();
        inA = memory(a, new byte[MESSAGES * MESSAGE_BYTES]);
        inB = memory(b, new byte[MESSAGES * MESSAGE_BYTES]);
    }

    private byte[] message() {
        byte[] content = new byte[MESSAGES * MESSAGE_BYTES];
        random.nextBytes(content);
        return content;
    }

    private static MemoryRegion memory(IwarpEnd end, byte[] content) {
        MemorySegment memory = Arena.ofAuto().allocate(content.length, 64);
        memory.copyFrom(MemorySegment.ofArray(content));
        return end.pd.register(memory, AccessFlags.LOCAL_WRITE);
    }

    /** Runs a seed from beginning to end. Whatever goes wrong is in the result. */
    public static SeedResult of(long seed) {
        return of(seed, null);
    }

    /**
     * Runs a seed as {@link #of(long)} does.
     *
     * @param trace receives a line for each piece of the stream; null for none
     */
    public static SeedResult of(long seed, Consumer<String> trace) {
        SetupSeedRun run = new SetupSeedRun(seed, trace);
        Throwable failure = null;
        try {
            run.run();
        } catch (AssertionError | RuntimeException wrong) {
            failure = wrong;
        }
        boolean agreed = run.ofA.events.contains("agreed");
        return new SeedResult(seed, failure, run.status(), !agreed, agreed ? 2 * MESSAGES : 0, run.bytes, run.digest);
    }

    private String status() {
        return "initiator with " + optionsA + ": " + ofA.events + "; responder with " + optionsB + ": " + ofB.events + "; " + bytes
            + " bytes";
    }

    private void run() {
        optionsA = options();
        optionsB = options();
        refuses = random.nextInt(10) == 0;
        ofB.accepts = refuses ? null : b.qp;
        postReceives(a, inA);
        postReceives(b, inB);
        haveAccident();
        SimulatedSiw.await(b.context, tcp, optionsB, DEPTH, (refuses ? "no" : "welcome").getBytes(), ofB);
        SimulatedSiw.initiate(a.qp, tcp, optionsA, DEPTH, "hello".getBytes(), ofA);
        simulation.runFor(20 * SECOND);
        talk(a, toB);
        talk(b, toA);
        simulation.runFor(SECOND);
        boolean aFirst = random.nextBoolean();
        disconnect(aFirst ? a : b);
        simulation.runFor(SECOND);
        // Ends also the silent side, and the side that receives nothing from it.
        disconnect(aFirst ? b : a);
        simulation.runFor(LAST_NS);
        check(OF_INITIATOR.contains(ofA.events), "events of the initiator: " + ofA.events);
        check(OF_RESPONDER.contains(ofB.events), "events of the responder: " + ofB.events);
        checkMessages(a, inA, toA);
        checkMessages(b, inB, toB);
        for (IwarpEnd end : List.of(a, b)) {
            check(SimulatedSiw.isIdle(end.context), end.name + " has a stream or a timer");
            check(end.counter("internal_errors") == 0, end.name + " has counted an internal error");
        }
    }

    private MpaOptions options() {
        return MpaOptions.DEFAULT.withCrc(random.nextInt(4) == 0 ? MpaOptions.Crc.OFF : MpaOptions.Crc.ON)
            .withMarkers(random.nextInt(4) == 0).withRevision(random.nextInt(4) == 0 ? 1 : 2)
            .withRtr(MpaOptions.Rtr.values()[random.nextInt(3)]).withPauseNs(random.nextBoolean() ? 0 : 10_000_000).withTimeoutNs(SECOND);
    }

    private void haveAccident() {
        boolean fromA = random.nextBoolean();
        int at = random.nextBoolean() ? random.nextInt(40) : random.nextInt(ACCIDENT_BYTES);
        switch (random.nextInt(5)) {
            case 0 -> tcp.stopAfter(fromA, at, SimulatedTcp.Stop.RESET);
            case 1 -> tcp.stopAfter(fromA, at, SimulatedTcp.Stop.END);
            case 2 -> tcp.stopAfter(fromA, at, SimulatedTcp.Stop.SILENCE);
            case 3 -> tcp.damage(fromA, at, 1 + random.nextInt(255));
            default -> { }
        }
    }

    private static void postReceives(IwarpEnd end, MemoryRegion into) {
        for (int i = 0; i < MESSAGES; i++) {
            end.qp.postReceive(new ReceiveRequest().begin(i).element(into, (long) i * MESSAGE_BYTES, MESSAGE_BYTES));
        }
    }

    /** Posts messages followed by a READ, which a closed or silent peer does not answer. */
    private static void talk(IwarpEnd end, byte[] messages) {
        if (end.qp.state() == QpState.RTS) {
            MemoryRegion from = memory(end, messages);
            for (int i = 0; i < MESSAGES; i++) {
                end.qp.postSend(new SendRequest().send().element(from, (long) i * MESSAGE_BYTES, MESSAGE_BYTES));
            }
            end.qp.postSend(new SendRequest().read(0, 0).wrId(MESSAGES).signaled());
        }
    }

    private static void disconnect(IwarpEnd end) {
        if (end.qp.state() == QpState.RTS) {
            end.qp.modify(new QpAttributes().state(QpState.SQD));
        }
    }

    private void checkMessages(IwarpEnd end, MemoryRegion in, byte[] expected) {
        List<WorkCompletion> receives = end.receives();
        int good = (int) receives.stream().filter(wc -> wc.status() == WcStatus.SUCCESS).count();
        if (optionsA.wantsCrc() && optionsB.wantsCrc()) {
            int count = good * MESSAGE_BYTES;
            check(Arrays.equals(in.memory().asSlice(0, count).toArray(ValueLayout.JAVA_BYTE), Arrays.copyOf(expected, count)),
                end.name + " has received something else than was sent");
        }
        QpState state = end.qp.state();
        check(state == QpState.INIT && good == 0 || state == QpState.ERR && receives.size() == MESSAGES, end.name + " in " + state + ": "
            + receives.size() + " receives completed");
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
