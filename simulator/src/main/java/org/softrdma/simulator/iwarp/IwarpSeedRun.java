// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.VirtualClock;
import org.softrdma.simulator.SeedResult;
import org.softrdma.siw.SimulatedSiw;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.sim.SimulatedTcp;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;

/**
 * One seed: both ends of a connection post all kinds of requests at the same time, over a TCP connection that splits, stalls and possibly
 * breaks, while applications take memory, windows and queue pairs away that are in use. Every request must complete once and in order, with
 * a status that has a reason; every byte of memory must be as it should, and every segment on the wire too.
 */
public final class IwarpSeedRun {
    private static final long SECOND = 1_000_000_000L;
    /** Virtual time in which all must be over; a hang is found by it. */
    private static final long LONGEST_NS = 600 * SECOND;
    private static final long SETTLE_NS = 30 * SECOND;
    /** Bytes an accident waits for a moment at which the memory is in use. */
    private static final int PATIENCE_BYTES = 400_000;
    private static final int PROTECTION_ERROR = 0x01;
    private static final int TAGGED_ERROR = 0x11;
    private static final int RDMAP_LOCAL = 0x00;
    private static final int DDP_LOCAL = 0x10;
    private static final Set<AsyncEventType> FAILURES = Set.of(AsyncEventType.QP_ACCESS_ERR, AsyncEventType.QP_FATAL,
        AsyncEventType.QP_REQ_ERR);

    private final IwarpScenario scenario;
    private final SplittableRandom random;
    private final Simulation simulation;
    private final SimulatedTcp tcp;
    private final IwarpEnd a;
    private final IwarpEnd b;
    private final MessageStream ab;
    private final MessageStream ba;
    private final StreamRules fromA;
    private final StreamRules fromB;
    private final StreamChecker wire;
    private IwarpAccident accident;
    private boolean ended;

    IwarpSeedRun(long seed, Simulation simulation, Consumer<String> trace) {
        scenario = IwarpScenario.draw(seed);
        random = new SplittableRandom(~seed);
        this.simulation = simulation;
        tcp = new SimulatedTcp(random.split(), simulation.world()::nowNs, scenario.profile());
        simulation.add(tcp);
        a = new IwarpEnd("a", simulation, random.split(), scenario.srq());
        b = new IwarpEnd("b", simulation, random.split(), scenario.srq());
        ab = new MessageStream(scenario, random.split(), a, b, true);
        ba = new MessageStream(scenario, random.split(), b, a, false);
        accident = scenario.accident();
        if (accident != null && accident.kind() == IwarpAccident.Kind.PEER_INVALIDATES) {
            // Part of the plan.
            accident = null;
        }
        StreamRules.Limits limits = new StreamRules.Limits(scenario.maxUlpdu(), scenario.depth());
        fromA = new StreamRules("a > b", limits, scenario.first(), false, ab.plan());
        fromB = new StreamRules("b > a", limits, MpaOptions.Rtr.NONE, true, ba.plan());
        wire = new StreamChecker(simulation.world()::nowNs, fromA, fromB, scenario.crc(), scenario.markersToA(), scenario.markersToB(),
            trace == null ? null : new SegmentTrace(trace, simulation.world()::nowNs));
        tcp.observe(wire);
    }

    /** Runs a seed from beginning to end. Whatever goes wrong is in the result. */
    public static SeedResult of(long seed) {
        return of(seed, null);
    }

    /**
     * Runs a seed as {@link #of(long)} does.
     *
     * @param trace receives a line for each segment; null for none
     */
    public static SeedResult of(long seed, Consumer<String> trace) {
        return new IwarpSeedRun(seed, new Simulation(new VirtualClock(seed)), trace).result();
    }

    /** Runs to the end, alone in its simulation. */
    SeedResult result() {
        Throwable failure = null;
        try {
            begin();
            runToEnd();
        } catch (AssertionError | RuntimeException wrong) {
            failure = wrong;
        }
        return result(failure);
    }

    /** Completions that were in completion queues when these were resized. */
    int keptByResizes() {
        return a.keptByResizes() + b.keptByResizes();
    }

    SeedResult result(Throwable failure) {
        return new SeedResult(scenario.seed(), failure, status(), ab.hasFailed() || ba.hasFailed(), ab.done() + ba.done(), wire.segments(),
            wire.digest());
    }

    /** Connects, and binds the windows. */
    void begin() {
        long nowNs = simulation.world().nowNs();
        SimulatedSiw.connect(a.qp, b.qp, tcp, new SimulatedSiw.Agreed(scenario.crc(), scenario.markersToA(), scenario.markersToB(),
            scenario.maxUlpdu(), scenario.depth(), scenario.first(),
            scenario.pauseNs() == SimulatedSiw.AT_ONCE ? SimulatedSiw.AT_ONCE : nowNs + scenario.pauseNs()));
        switch (scenario.ending()) {
            case AT_A_TIME -> tcp.breakAt(nowNs + scenario.endingAt());
            case RESET -> tcp.stopAfter(scenario.endingA(), scenario.endingAt(), SimulatedTcp.Stop.RESET);
            case END -> tcp.stopAfter(scenario.endingA(), scenario.endingAt(), SimulatedTcp.Stop.END);
            case NONE -> { }
        }
        // The direction of B's requests has completions of the bindings for A's requests, and the other way round.
        ab.onSpecial(ba::onOwnersCompletion);
        ba.onSpecial(ab::onOwnersCompletion);
        ab.bind();
        ba.bind();
        ab.prepare();
        ba.prepare();
    }

    void runToEnd() {
        if (!simulation.runUntil(this::step, simulation.world().nowNs() + LONGEST_NS)) {
            throw new AssertionError("not over within " + LONGEST_NS + " ns");
        }
        finish();
    }

    void finish() {
        simulation.runFor(SETTLE_NS);
        step();
        if (ended) {
            ab.flushRest();
            ba.flushRest();
            simulation.runFor(SETTLE_NS);
            step();
        }
        checkEnd();
    }

    /**
     * The applications' turn: they take completions and post some more.
     *
     * @return whether all is done
     */
    boolean step() {
        if (scenario.resizing() > 0 && random.nextDouble() < scenario.resizing()) {
            a.resizeQueues(random);
            b.resizeQueues(random);
        }
        ab.check();
        ba.check();
        a.events();
        b.events();
        haveAccident();
        ended |= a.isOver() || b.isOver();
        if (!ended) {
            ab.post(1 + random.nextInt(5));
            ba.post(1 + random.nextInt(5));
        }
        allowTerminates(ab, fromA, fromB);
        allowTerminates(ba, fromB, fromA);
        if (wire.complaint() != null) {
            throw new AssertionError("on the wire, " + wire.complaint());
        }
        return ended || ab.isDone() && ba.isDone();
    }

    // ---- accidents ----

    private void haveAccident() {
        if (accident == null || ended || !ab.isBound() || !ba.isBound()) {
            return;
        }
        long late = wire.bytes() - (long) (accident.when() * (ab.plannedBytes() + ba.plannedBytes()));
        if (late < 0 || accident.amid() && late < PATIENCE_BYTES && !isAmid()) {
            return;
        }
        IwarpAccident due = accident;
        accident = null;
        MessageStream victim = due.ofA() ? ab : ba;
        switch (due.kind()) {
            case TO_ERROR -> victim.from.qp.modify(new QpAttributes().state(QpState.ERR));
            case DESTROY -> victim.from.destroy();
            default -> victim.happen(due);
        }
    }

    /** Whether the memory is in use: an answer from it, or a message into it or out of it, was sent in part. */
    private boolean isAmid() {
        StreamRules requests = accident.ofA() ? fromA : fromB;
        StreamRules answers = accident.ofA() ? fromB : fromA;
        return switch (accident.place()) {
            case WORDS -> answers.isMidAnswer() && answers.owesAtomic();
            case TARGET, SOURCE -> answers.isMidAnswer() || requests.isMidMessage();
            case INBOX -> requests.isMidMessage();
        };
    }

    /** Each end may refuse what it cannot do any more. */
    private static void allowTerminates(MessageStream stream, StreamRules ofSender, StreamRules ofReceiver) {
        if (stream.lost(IwarpAccident.Place.TARGET) || stream.lost(IwarpAccident.Place.WORDS)) {
            ofReceiver.allowTerminate(PROTECTION_ERROR);
            ofReceiver.allowTerminate(TAGGED_ERROR);
        }
        if (stream.lost(IwarpAccident.Place.SOURCE)) {
            ofSender.allowTerminate(RDMAP_LOCAL);
            ofSender.allowTerminate(DDP_LOCAL);
        }
        if (stream.lost(IwarpAccident.Place.INBOX)) {
            ofReceiver.allowTerminate(DDP_LOCAL);
        }
    }

    // ---- the end ----

    private void checkEnd() {
        if (ended && !scenario.mayEnd()) {
            throw new AssertionError("a sound connection has ended");
        }
        if (ended && !(a.isOver() && b.isOver())) {
            throw new AssertionError("one end does not know that the connection has ended");
        }
        if (!ended && (ab.isHopeless() || ba.isHopeless())) {
            throw new AssertionError("a request of memory that was gone was not refused");
        }
        ab.checkEnd(ended);
        ba.checkEnd(ended);
        ab.checkMemory();
        ba.checkMemory();
        boolean refused = ab.hasLost() || ba.hasLost();
        for (IwarpEnd end : List.of(a, b)) {
            checkEvents(end, refused);
            checkCounters(end, refused);
            if (ended && !SimulatedSiw.isIdle(end.context)) {
                throw new AssertionError(end.name + " has a stream or a timer after the end");
            }
        }
        for (IwarpEnd end : List.of(a, b)) {
            end.destroy();
        }
        ab.close();
        ba.close();
        a.close();
        b.close();
    }

    private void checkEvents(IwarpEnd end, boolean refused) {
        Set<AsyncEventType> events = end.events();
        for (AsyncEventType event : events) {
            boolean last = event == AsyncEventType.QP_LAST_WQE_REACHED && scenario.srq() && end.isOver();
            if (!last && !(refused && FAILURES.contains(event))) {
                throw new AssertionError(end.name + ": " + event + " without a reason");
            }
        }
        if (scenario.srq() && end.isOver() && !end.destroyed && !events.contains(AsyncEventType.QP_LAST_WQE_REACHED)) {
            throw new AssertionError(end.name + ": no QP_LAST_WQE_REACHED");
        }
    }

    private static void checkCounters(IwarpEnd end, boolean refused) {
        long bad = 0;
        for (String name : List.of("bad_crc", "bad_framing", "bad_segment", "no_buffer", "too_long", "internal_errors")) {
            bad += end.counter(name);
        }
        for (String name : List.of("bad_access", "local_errors", "rcvd_terminates")) {
            bad += refused ? 0 : end.counter(name);
        }
        if (bad != 0) {
            throw new AssertionError(end.name + ": errors counted without a reason: " + end.context.counters());
        }
    }

    private String status() {
        return scenario + "\n  " + ab + "\n  " + ba + "\n  " + wire;
    }
}
