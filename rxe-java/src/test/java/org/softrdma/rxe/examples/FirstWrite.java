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
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
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
    private static final long ONE_MINUTE_NS = 60_000_000_000L;

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
             QueuePair alicesQp = alicesPd.createQp(QpInitAttributes.rc(alicesCq, QpCapabilities.ofDepth(16)));
             QueuePair bobsQp = bobsPd.createQp(QpInitAttributes.rc(bobsCq, QpCapabilities.ofDepth(16)))) {

            // Alice may be read from locally; Bob's memory is open to his peer's writes.
            MemorySegment text = arena.allocateFrom("Hello from Alice, written into Bob's memory. ".repeat(60));
            MemorySegment target = arena.allocate(text.byteSize());
            try (MemoryRegion from = alicesPd.register(text, 0);
                 MemoryRegion to = bobsPd.register(target, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE)) {

                // Programs on two hosts exchange addresses and rkeys over a socket; here both ends are at hand.
                QueuePair.connect(alicesQp, bobsQp);

                int bytes = (int) text.byteSize();
                alicesQp.postSend(new SendRequest().write(to.address(), to.rkey()).wrId(7).element(from, 0, bytes).signaled());

                // Virtual time runs until the completion is there; a retransmission timeout costs no time of ours.
                WorkCompletion[] done = WorkCompletion.array(1);
                if (!simulation.runUntil(() -> alicesCq.poll(done) == 1, fabric.nowNs() + ONE_MINUTE_NS)) {
                    throw new IllegalStateException("no completion within a virtual minute; seed " + seed);
                }
                out.accept("completion: " + done[0]);
                out.accept("Bob's memory: " + target.getString(0).substring(0, 43));
                out.accept("the rest is " + (text.mismatch(target) < 0 ? "the same" : "different") + ", " + bytes + " bytes");
            }
        }
    }
}
