// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.VirtualClock;
import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.Agreement;
import org.softrdma.siw.mpa.StreamParameters;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.siw.sim.SimulatedTcp;
import org.softrdma.siw.tcp.ByteStream;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Two devices with one queue pair each and a simulated TCP connection between them: the set-up of most tests of this module. */
final class SiwPair {
    static final int ALL_REMOTE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND;
    static final long SECOND = 1_000_000_000L;

    final long seed;
    final VirtualClock clock;
    final Simulation simulation;
    final SimulatedTcp tcp;
    final Side a;
    final Side b;

    /** Parameters of both ends, with defaults that tests override. */
    static final class Setup {
        boolean crc = true;
        boolean markersToA;
        boolean markersToB;
        int maxUlpdu = 1442;
        int ord = 4;
        int ird = 4;
        int queueDepth = 64;
        int maxSge = 4;
        int maxInline = 64;
        int cqe = 4096;
        int srqDepth;
        int access = AccessFlags.REMOTE_ANY;
        SimulatedTcp.Profile profile = SimulatedTcp.Profile.PLAIN;
        MpaOptions.Rtr first = MpaOptions.Rtr.NONE;
        /** Time before which the initiator, A, must not send. */
        long sendNotBeforeNs = SiwMachine.AT_ONCE;
    }

    /** One end. */
    static final class Side {
        final SiwEngine engine;
        final SiwContext context;
        final ProtectionDomain pd;
        final CompletionQueue sendCq;
        final CompletionQueue recvCq;
        final SharedReceiveQueue srq;
        final SiwQueuePair qp;
        private final List<WorkCompletion> sendDone = new ArrayList<>();
        private final List<WorkCompletion> recvDone = new ArrayList<>();

        Side(Simulation simulation, RandomGenerator random, Setup setup) {
            NetDevice netdev = new NetDevice("sim0", 1, 0x020000000001L, 1500, true, true, false, List.of());
            RunningSiw running = new RunningSiw(netdev, netdev.mac(), MpaOptions.DEFAULT, random, simulation.world()::nowNs, null,
                null);
            engine = running.engine();
            context = new SiwContext(null, running, closed -> { });
            simulation.add(engine);
            pd = context.allocatePd();
            sendCq = context.createCq(setup.cqe);
            recvCq = context.createCq(setup.cqe);
            srq = setup.srqDepth == 0 ? null : pd.createSrq(setup.srqDepth, setup.maxSge, 0);
            qp = newQp(pd, setup);
            qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(setup.access));
        }

        SiwQueuePair newQp(ProtectionDomain in, Setup setup) {
            QpCapabilities cap = new QpCapabilities(setup.queueDepth, setup.queueDepth, setup.maxSge, setup.maxSge, setup.maxInline);
            return (SiwQueuePair) in.createQp(new QpInitAttributes(QpType.RC, sendCq, recvCq, srq, cap, false));
        }

        MemoryRegion memory(long bytes, int access) {
            return pd.register(Arena.ofAuto().allocate(bytes, 64), access);
        }

        MemoryRegion memory(byte[] content) {
            MemoryRegion region = memory(Math.max(1, content.length), ALL_REMOTE);
            MemorySegment.copy(content, 0, region.memory(), ValueLayout.JAVA_BYTE, 0, content.length);
            return region;
        }

        List<WorkCompletion> sends() {
            drain(sendCq, sendDone);
            return sendDone;
        }

        List<WorkCompletion> receives() {
            drain(recvCq, recvDone);
            return recvDone;
        }

        List<WcStatus> sendStatuses() {
            return sends().stream().map(WorkCompletion::status).toList();
        }

        List<WcStatus> receiveStatuses() {
            return receives().stream().map(WorkCompletion::status).toList();
        }

        List<AsyncEventType> events() {
            List<AsyncEventType> types = new ArrayList<>();
            for (AsyncEvent event = context.getAsyncEvent(0); event != null; event = context.getAsyncEvent(0)) {
                types.add(event.type());
                event.ack();
            }
            return types;
        }

        long counter(String name) {
            return context.counters().get(name);
        }

        private static void drain(CompletionQueue cq, List<WorkCompletion> into) {
            while (true) {
                WorkCompletion[] one = WorkCompletion.array(1);
                if (cq.poll(one) == 0) {
                    return;
                }
                into.add(one[0]);
            }
        }
    }

    SiwPair(long seed, Setup setup) {
        this.seed = seed;
        RandomGenerator random = new SplittableRandom(seed);
        clock = new VirtualClock(seed);
        simulation = new Simulation(clock);
        tcp = new SimulatedTcp(random, clock::nowNs, setup.profile);
        simulation.add(tcp);
        a = new Side(simulation, random, setup);
        b = new Side(simulation, random, setup);
        connect(a, tcp.left(), new StreamParameters(setup.crc, setup.markersToB, setup.markersToA, setup.maxUlpdu), setup, setup.first,
            setup.sendNotBeforeNs);
        connect(b, tcp.right(), new StreamParameters(setup.crc, setup.markersToA, setup.markersToB, setup.maxUlpdu), setup,
            MpaOptions.Rtr.NONE, Deadline.NEVER);
    }

    static void connect(Side side, ByteStream stream, StreamParameters parameters, Setup setup, MpaOptions.Rtr first,
            long sendNotBeforeNs) {
        side.qp.connect(stream, new Agreement(parameters, setup.ord, setup.ird, first, new byte[0]), sendNotBeforeNs, () -> { });
    }

    SiwPair() {
        this(1, new Setup());
    }

    /** Runs until the condition holds; fails if it does not within ten virtual minutes. */
    void runUntil(BooleanSupplier condition) {
        if (!simulation.runUntil(condition, clock.nowNs() + 600 * SECOND)) {
            throw new AssertionError("not within ten virtual minutes; seed " + seed);
        }
    }

    /** Runs long enough for all activity to end. */
    void settle() {
        simulation.runFor(30 * SECOND);
    }
}
