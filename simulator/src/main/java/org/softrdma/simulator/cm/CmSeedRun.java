// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.cm;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.softrdma.device.SeededRandom;
import org.softrdma.rxe.cm.CmCounter;
import org.softrdma.rxe.cm.CmSettings;
import org.softrdma.rxe.cm.Connection;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.simulator.SeedResult;

/**
 * One seed of communication management: two machines on a {@link CmWorld}, each with an application that does all that an application may
 * do, at any time. A queue pair is an entry in a table here. An established end finds out now and then whether the peer's queue pair
 * exists and is connected with it, as data would, and otherwise disconnects. In some runs applications have nothing to send, so that no
 * packet takes the place of an RTU; in some a machine is lost for good.
 *
 * <p>A right end is not enough, since lost and unanswered messages heal by themselves in time: once the network is whole, every message
 * must be answered, and no connection may be taken for a stale one that is not.
 */
public final class CmSeedRun {
    private static final long SECOND = CmWorld.SECOND;
    private static final long HEALED_NS = 120 * SECOND;
    /** Time by which an end has given up on an answer that was lost before the network healed, even after an MRA. */
    private static final long LAST_SILENCE_NS = HEALED_NS + 100 * SECOND;
    /** More than all timers of a connection's end together. */
    private static final long SETTLE_NS = 400 * SECOND;
    private static final long LAST_DATA_NS = 2000 * SECOND;

    private final long seed;
    private final CmWorld world;
    private final SeededRandom random;
    private final List<CmMachine> machines = new ArrayList<>();
    private final Map<CmOutcome, Integer> outcomes = new EnumMap<>(CmOutcome.class);
    private boolean calm;
    private boolean hasData;

    CmSeedRun(long seed, Consumer<String> trace) {
        this.seed = seed;
        world = new CmWorld(seed, trace);
        random = new SeededRandom(~seed);
    }

    /** Runs a seed from beginning to end. Whatever goes wrong is in the result. */
    public static SeedResult of(long seed) {
        return of(seed, null);
    }

    /**
     * Runs a seed as {@link #of(long)} does.
     *
     * @param trace receives a line for each MAD and each event; null for none
     */
    public static SeedResult of(long seed, Consumer<String> trace) {
        return new CmSeedRun(seed, trace).result();
    }

    SeedResult result() {
        Throwable failure = null;
        try {
            run();
        } catch (AssertionError | RuntimeException wrong) {
            failure = wrong;
        }
        return new SeedResult(seed, failure, machines + ", " + world.mads() + " MADs: " + outcomes, crashed(),
            outcomes.getOrDefault(CmOutcome.ESTABLISHED, 0), world.mads(), world.digest());
    }

    Map<CmOutcome, Integer> outcomes() {
        return outcomes;
    }

    private void run() {
        int retries = random.chance(0.5) ? 15 : random.below(4);
        int inFlight = random.chance(0.5) ? CmSettings.of(0).maxInFlight() : 1 + random.below(3);
        for (int number = 1; number <= 2; number++) {
            machines.add(new CmMachine(this, number, retries, inFlight));
        }
        plan();
        world.runUntil(HEALED_NS);
        world.heal();
        calm = true;
        if (random.chance(0.1)) {
            loseForGood(oneOfThem());
        } else {
            world.runFor(SETTLE_NS);
            checkAgreement();
        }
        machines.forEach(CmMachine::endAll);
        world.runFor(SETTLE_NS);
        for (CmMachine machine : machines) {
            require(machine.manager().isIdle(), machine + " still has connections");
            require(machine.ends().isEmpty(), machine + " still has queue pairs " + machine.ends());
            add(CmOutcome.ESTABLISHED_BY_PACKET, machine.count(CmCounter.CM_ESTABLISHED_BY_PACKET));
            add(CmOutcome.STALE, machine.count(CmCounter.CM_STALE_CONNECTIONS));
        }
    }

    private void plan() {
        world.trouble(random.below(80) / 100.0, random.below(50) / 100.0, random.below(60) / 100.0);
        int connects = 1 + random.below(12);
        long spreadNs = random.chance(0.2) ? SECOND / 1000 : 60 * SECOND;
        for (int i = 0; i < connects; i++) {
            CmMachine from = oneOfThem();
            world.in(random.between(0, spreadNs), from::connect);
        }
        hasData = random.chance(0.5);
        if (random.chance(0.2)) {
            CmMachine victim = oneOfThem();
            world.in(random.between(1, 90 * SECOND), victim::crash);
        }
        for (long atNs = 0; atNs < LAST_DATA_NS; atNs += 10 * SECOND) {
            world.in(atNs, this::exchangeData);
        }
    }

    private CmMachine oneOfThem() {
        return machines.get(random.below(2));
    }

    /** One machine is gone; the other one must find out, and free what it has for it. */
    private void loseForGood(CmMachine lost) {
        count(CmOutcome.LOST_FOR_GOOD);
        lost.crash();
        world.cut(lost.address());
        world.runFor(SETTLE_NS);
        for (CmMachine machine : machines) {
            require(machine.ends().isEmpty(), machine + " still waits for the lost one: " + machine.ends());
        }
    }

    /** Every end that may send does: to a peer that receives it, or in vain. */
    private void exchangeData() {
        for (CmMachine machine : machines) {
            for (CmEnd end : List.copyOf(machine.ends())) {
                if (!end.maySend()) {
                    continue;
                }
                CmEnd peer = peerOf(end);
                if (peer == null) {
                    count(CmOutcome.GAVE_UP_BY_DATA);
                    end.disconnect();
                } else if (hasData) {
                    peer.machine().manager().onPacket(peer.qpn());
                }
            }
        }
    }

    /** Finds the end that has the queue pair that {@code end} is connected with, if that one is connected with it. */
    private CmEnd peerOf(CmEnd end) {
        CmMachine there = machines.getFirst().address().equals(end.connection().remote()) ? machines.getFirst() : machines.getLast();
        CmEnd peer = there.end(end.remoteQpn());
        return peer != null && peer.mayReceive() && peer.remoteQpn() == end.qpn() ? peer : null;
    }

    private void checkAgreement() {
        for (CmMachine machine : machines) {
            for (CmEnd end : machine.ends()) {
                require(end.isEstablished(), end + " is in between long after the network was healed");
                CmEnd peer = peerOf(end);
                require(peer != null && peer.isEstablished(), end + " is connected, its peer is not");
                Connection active = end.connection().isActive() ? end.connection() : peer.connection();
                Connection passive = end.connection().isActive() ? peer.connection() : end.connection();
                require(active != passive && active.isActive() && !passive.isActive(), end + " has a peer in the same role");
                require(active.remoteId() == passive.localId() && passive.remoteId() == active.localId(), end + ": IDs differ");
                require(active.request().startingPsn() == passive.request().startingPsn()
                    && active.reply().startingPsn() == passive.reply().startingPsn(), end + ": PSNs differ");
                count(CmOutcome.STILL_CONNECTED_AT_THE_END);
            }
        }
    }

    // ---- shared by machines and ends ----

    CmWorld world() {
        return world;
    }

    SeededRandom random() {
        return random;
    }

    /** No further connections are requested. */
    boolean isCalm() {
        return calm;
    }

    boolean crashed() {
        return outcomes.containsKey(CmOutcome.CRASHED);
    }

    /** Requires that an answer may be missing now: the network has lost messages, or a machine. */
    void requireLoss(CmEnd end) {
        require(world.hasCut() || world.nowNs() < LAST_SILENCE_NS, end + " has no answer from a peer that is well");
    }

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    void count(CmOutcome outcome) {
        add(outcome, 1);
    }

    private void add(CmOutcome outcome, long times) {
        outcomes.merge(outcome, (int) times, Integer::sum);
    }
}
