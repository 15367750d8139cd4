// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.examples;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * The first RDMA WRITE: two devices on a simulated network, no socket, no second process, no waiting. Shown in {@code docs/hacking.md};
 * uses the public API only, as any program can.
 */
public final class FirstWrite {
    private static final Gid ALICE = Gid.ofIpv4(0x0a000001);
    private static final Gid BOB = Gid.ofIpv4(0x0a000002);
    private static final int ALICES_FIRST_PSN = 1000;
    private static final int BOBS_FIRST_PSN = 2000;
    private static final long ONE_SECOND_NS = 1_000_000_000L;

    private FirstWrite() {
    }

    public static void main(String[] arguments) {
        run(arguments.length > 0 ? Long.parseLong(arguments[0]) : 1, System.out::println);
    }

    /** @param seed the same seed gives the same run, to the nanosecond */
    static void run(long seed, Consumer<String> out) {
        // A network that loses every tenth packet, and two devices on it.
        SimulatedFabric fabric = new SimulatedFabric(seed, FaultPlan.NONE.withLoss(0.1));
        Simulation simulation = new Simulation(fabric);
        RandomGenerator random = new SplittableRandom(seed);
        fabric.observe((nowNs, from, to, packet, offset, length, fate) ->
            out.accept(String.format(Locale.ROOT, "%,11d ns  %s > %s  %4d bytes  %s", nowNs, from, to, length, fate)));
        try (Arena arena = Arena.ofShared();
             Context alice = SimulatedRxe.open(simulation, fabric.attach(ALICE), random, 1500);
             Context bob = SimulatedRxe.open(simulation, fabric.attach(BOB), random, 1500);
             ProtectionDomain alicesPd = alice.allocatePd();
             ProtectionDomain bobsPd = bob.allocatePd();
             CompletionQueue alicesCq = alice.createCq(16);
             CompletionQueue bobsCq = bob.createCq(16);
             QueuePair alicesQp = alicesPd.createQp(QpInitAttributes.rc(alicesCq, new QpCapabilities(16, 16, 1, 1, 0)));
             QueuePair bobsQp = bobsPd.createQp(QpInitAttributes.rc(bobsCq, new QpCapabilities(16, 16, 1, 1, 0)))) {

            // Alice may be read from locally; Bob's memory is open to his peer's writes.
            MemorySegment text = arena.allocateFrom("Hello from Alice, written into Bob's memory. ".repeat(60));
            MemorySegment target = arena.allocate(text.byteSize());
            try (MemoryRegion from = alicesPd.register(text, 0);
                 MemoryRegion to = bobsPd.register(target, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE)) {

                // Real programs exchange GID, QPN, PSN, address and rkey over a socket; here both ends are at hand.
                connect(alicesQp, bobsQp.qpNum(), BOB, ALICES_FIRST_PSN, BOBS_FIRST_PSN);
                connect(bobsQp, alicesQp.qpNum(), ALICE, BOBS_FIRST_PSN, ALICES_FIRST_PSN);

                int bytes = (int) text.byteSize();
                alicesQp.postSend(new SendRequest().write(to.address(), to.rkey()).wrId(7).element(from, 0, bytes).signaled());

                // Virtual time runs until the completion is there; a retransmission timeout costs no time of ours.
                WorkCompletion[] done = WorkCompletion.array(1);
                if (!simulation.runUntil(() -> alicesCq.poll(done) == 1, fabric.nowNs() + ONE_SECOND_NS)) {
                    throw new IllegalStateException("no completion within a virtual second; seed " + seed);
                }
                out.accept("completion: " + done[0]);
                out.accept("Bob's memory: " + target.getString(0).substring(0, 43));
                out.accept("the rest is " + (text.mismatch(target) < 0 ? "the same" : "different") + ", " + bytes + " bytes");
            }
        }
    }

    private static void connect(QueuePair qp, int peersQpn, Gid peer, int firstPsn, int peersFirstPsn) {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_WRITE));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer, 1)).pathMtu(Mtu.MTU_1024)
            .destQpn(peersQpn).rqPsn(peersFirstPsn).maxDestRdAtomic(1).minRnrTimer(12));
        qp.modify(new QpAttributes().state(QpState.RTS).timeout(14).retryCount(7).rnrRetry(7).sqPsn(firstPsn).maxRdAtomic(1));
    }
}
