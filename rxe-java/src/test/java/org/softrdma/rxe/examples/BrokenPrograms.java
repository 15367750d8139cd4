// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.examples;

import java.lang.foreign.Arena;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rxe.SimulatedRxe;
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
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * Five programs with a mistake each, and what they are told: {@code docs/why.md}. Two devices on a simulated network, on virtual time; uses
 * the public API only.
 */
public final class BrokenPrograms {
    /** Mistake of a program. */
    enum Mistake {
        WRONG_RKEY, RECEIVE_TOO_SMALL, NO_RECEIVE, NOT_READY_TO_SEND, DEAD_PEER;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private static final Gid ALICE = Gid.ofIpv4(0x0a000001);
    private static final Gid BOB = Gid.ofIpv4(0x0a000002);
    private static final long ONE_MINUTE_NS = 60_000_000_000L;
    /** Address of Bob's memory in requests. */
    private static final long BOBS_ADDRESS = 0x10000;

    private final Mistake mistake;
    private final Consumer<String> out;

    private BrokenPrograms(Mistake mistake, Consumer<String> out) {
        this.mistake = mistake;
        this.out = out;
    }

    /** @param arguments the mistake's word, such as {@code wrong-rkey}; all of them without */
    public static void main(String[] arguments) {
        for (Mistake each : Mistake.values()) {
            if (arguments.length == 0 || each.word().equals(arguments[0])) {
                run(each, System.out::println);
            }
        }
    }

    static void run(Mistake mistake, Consumer<String> out) {
        new BrokenPrograms(mistake, out).run();
    }

    private void run() {
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
        Simulation simulation = new Simulation(fabric);
        RandomGenerator random = new SplittableRandom(1);
        try (Arena arena = Arena.ofShared();
             Context alice = SimulatedRxe.open(simulation, fabric.attach(ALICE), random, 1500);
             Context bob = SimulatedRxe.open(simulation, fabric.attach(BOB), random, 1500);
             ProtectionDomain alicesPd = alice.allocatePd();
             ProtectionDomain bobsPd = bob.allocatePd();
             CompletionQueue alicesCq = alice.createCq(16);
             CompletionQueue bobsCq = bob.createCq(16);
             MemoryRegion from = alicesPd.register(arena.allocate(4096), AccessFlags.LOCAL_WRITE);
             MemoryRegion to = bobsPd.register(arena.allocate(4096), BOBS_ADDRESS, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
             QueuePair alicesQp = alicesPd.createQp(QpInitAttributes.rc(alicesCq, QpCapabilities.ofDepth(16)));
             QueuePair bobsQp = bobsPd.createQp(QpInitAttributes.rc(bobsCq, QpCapabilities.ofDepth(16)))) {

            connect(bobsQp, ALICE, alicesQp.qpNum());
            if (mistake == Mistake.NOT_READY_TO_SEND) {
                alicesQp.init();
            } else {
                connect(alicesQp, BOB, bobsQp.qpNum());
            }
            if (mistake != Mistake.NO_RECEIVE) {
                bobsQp.postReceive(new ReceiveRequest().begin(5).element(BOBS_ADDRESS, 16, to.lkey()));
            }
            if (mistake == Mistake.DEAD_PEER) {
                // As after a crash: nothing answers, and nobody says goodbye.
                bobsQp.modify(new QpAttributes().state(QpState.RESET));
            }

            SendRequest request = mistake == Mistake.WRONG_RKEY ? new SendRequest().write(BOBS_ADDRESS, to.rkey() + 1)
                : new SendRequest().send();
            try {
                alicesQp.postSend(request.wrId(7).element(from, 0, 64).signaled());
            } catch (VerbsException refused) {
                out.accept("Alice: " + refused.getMessage());
                return;
            }

            WorkCompletion[] done = WorkCompletion.array(1);
            if (!simulation.runUntil(() -> alicesCq.poll(done) == 1, fabric.nowNs() + ONE_MINUTE_NS)) {
                throw new IllegalStateException("no completion within a virtual minute");
            }
            out.accept("Alice: " + done[0]);
            if (bobsCq.poll(done) == 1) {
                out.accept("Bob:   " + done[0]);
            }
        }
    }

    /** Moves a queue pair to RTS; sending is repeated three times at most. */
    private static void connect(QueuePair qp, Gid peer, int peerQpn) {
        qp.init();
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer, 1)).pathMtu(Mtu.MTU_1024).destQpn(peerQpn)
            .rqPsn(0).maxDestRdAtomic(1).minRnrTimer(12));
        qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(0).timeout(14).retryCount(3).rnrRetry(3).maxRdAtomic(1));
    }
}
