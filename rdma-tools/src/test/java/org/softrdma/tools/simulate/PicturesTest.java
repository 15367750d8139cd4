// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.simulator.PacketTrace;
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
 * The sequence diagrams of the documentation are those of simulated runs. With {@code -Dsoftrdma.pictures=write}, as docs/pictures/build
 * calls it, they are drawn anew.
 */
class PicturesTest {
    private static final Path PICTURES = Path.of(System.getProperty("basedir", "."), "..", "docs", "pictures");
    private static final int BYTES = 2700;
    private static final long SECOND_NS = 1_000_000_000L;
    /** The seed with which a network that loses every tenth packet loses the second of the message. */
    private static final long SEED = 1;

    private static void shouldBe(String file, String svg) throws IOException {
        Path picture = PICTURES.resolve(file);
        if ("write".equals(System.getProperty("softrdma.pictures"))) {
            Files.writeString(picture, svg);
        }
        assertEquals(Files.readString(picture), svg, "draw docs/pictures/" + file + " anew with docs/pictures/build");
    }

    @Test
    void shouldShowAWriteThatLosesAPacket() throws IOException {
        SimulatedFabric fabric = new SimulatedFabric(SEED, FaultPlan.NONE.withLoss(0.1));
        Simulation simulation = new Simulation(fabric);
        RandomGenerator random = new SplittableRandom(SEED);
        SequenceDiagram diagram = new SequenceDiagram(100);
        fabric.observe(new PacketTrace(diagram::add));
        try (Context alice = SimulatedRxe.open(simulation, fabric.attach(Gid.ofIpv4(0x0a000001)), random, 1500);
             Context bob = SimulatedRxe.open(simulation, fabric.attach(Gid.ofIpv4(0x0a000002)), random, 1500);
             ProtectionDomain alicesPd = alice.allocatePd();
             ProtectionDomain bobsPd = bob.allocatePd();
             CompletionQueue alicesCq = alice.createCq(16);
             CompletionQueue bobsCq = bob.createCq(16);
             QueuePair alicesQp = alicesPd.createQp(QpInitAttributes.rc(alicesCq, QpCapabilities.ofDepth(16)));
             QueuePair bobsQp = bobsPd.createQp(QpInitAttributes.rc(bobsCq, QpCapabilities.ofDepth(16)));
             MemoryRegion source = alicesPd.register(Arena.ofAuto().allocate(BYTES), 0x10000, 0);
             MemoryRegion target = bobsPd.register(Arena.ofAuto().allocate(BYTES), 0x20000,
                 AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE)) {
            QueuePair.connect(alicesQp, bobsQp);
            alicesQp.postSend(new SendRequest().write(target.address(), target.rkey()).element(source, 0, BYTES).signaled());
            WorkCompletion[] done = WorkCompletion.array(1);
            simulation.runUntil(() -> alicesCq.poll(done) == 1, SECOND_NS);
            done[0].requireSuccess();
        }
        shouldBe("rc-write-with-loss.svg", diagram.svg("RDMA WRITE of " + BYTES + " bytes, path MTU 1024: the second packet is lost"));
    }
}
