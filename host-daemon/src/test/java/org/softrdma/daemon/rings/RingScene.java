// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.VirtualClock;
import org.softrdma.device.sim.VirtualWorld;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.link.DirectLink;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.siw.SimulatedSiw;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.sim.SimulatedTcp;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;

/**
 * One device with three programs: a hostile one, and two victims that are connected to each other and exchange data. The victims' memory
 * holds a secret, and has contents that are known byte for byte.
 */
final class RingScene {
    static final int QKEY = 0x11111111;
    /** Longest time in which the victims' requests complete, whatever the hostile program does, ns of the virtual clock. */
    private static final long PATIENCE_NS = 2_000_000_000L;
    private static final int HOSTILE = 1;
    private static final int SENDER = 2;
    private static final int RECEIVER = 3;
    private static final long SECRET = 0x9c5ec4e7d3b1a8f6L;
    private static final int MESSAGE_BYTES = 3000;
    private static final int WRITTEN = 8192;
    private static final Gid ADDRESS = Gid.ofIpv4(0x0a000001);

    final RingLibrary library;
    final PlayedProgram hostile;
    final PlayedProgram sender;
    final PlayedProgram receiver;
    final SoftContext context;
    private final RandomGenerator random = new SplittableRandom(7);
    private final VirtualWorld world;
    private final Simulation simulation;
    private final PlayedBells bells = new PlayedBells();
    private final RingDoor door = new RingDoor(bells);
    private final PlayedProgram.Qp from;
    private final PlayedProgram.Qp to;
    private final MemorySegment sendersImage = Arena.ofAuto().allocate(PlayedProgram.MEMORY_BYTES, 8);
    private final MemorySegment receiversImage = Arena.ofAuto().allocate(PlayedProgram.MEMORY_BYTES, 8);
    private int exchanges;

    RingScene(RingLibrary library) {
        this.library = library;
        if (library == RingLibrary.RXE) {
            SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
            world = fabric;
            simulation = new Simulation(fabric);
            context = (SoftContext) SimulatedRxe.open(simulation, new DirectLink(fabric.attach(ADDRESS), fabric::nowNs), random, 1500);
        } else {
            world = new VirtualClock(1);
            simulation = new Simulation(world);
            context = (SoftContext) SimulatedSiw.open(simulation, random);
        }
        context.deliverEventsTo(_ -> { });
        if (library == RingLibrary.RXE) {
            context.agent().frontDoor(door);
        } else {
            simulation.add(new DoorAlone());
        }
        hostile = new PlayedProgram(library, context, door, HOSTILE);
        sender = new PlayedProgram(library, context, door, SENDER);
        receiver = new PlayedProgram(library, context, door, RECEIVER);
        from = sender.qp(QpType.RC, sender.cq(), false);
        to = receiver.qp(QpType.RC, receiver.cq(), false);
        connect(from, to);
        for (int at = 0; at < PlayedProgram.MEMORY_BYTES; at += 8) {
            sender.memory.set(ValueLayout.JAVA_LONG, at, (at & 8) == 0 ? SECRET : at);
            receiver.memory.set(ValueLayout.JAVA_LONG, at, (at & 8) == 0 ? SECRET : ~at);
        }
        sendersImage.copyFrom(sender.memory);
        receiversImage.copyFrom(receiver.memory);
    }

    void connect(PlayedProgram.Qp left, PlayedProgram.Qp right) {
        init(left);
        init(right);
        if (library == RingLibrary.RXE) {
            ready(left, right);
            ready(right, left);
        } else {
            SimulatedTcp tcp = new SimulatedTcp(random, world::nowNs, SimulatedTcp.Profile.PLAIN);
            simulation.add(tcp);
            SimulatedSiw.connect(left.soft, right.soft, tcp,
                new SimulatedSiw.Agreed(true, false, false, 1442, 4, MpaOptions.Rtr.NONE, SimulatedSiw.AT_ONCE));
        }
        left.posting.onModified(QpState.RTS);
        right.posting.onModified(QpState.RTS);
    }

    private static void init(PlayedProgram.Qp qp) {
        qp.soft.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
    }

    private static void ready(PlayedProgram.Qp qp, PlayedProgram.Qp peer) {
        qp.soft.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(ADDRESS, 1)).pathMtu(Mtu.MTU_1024)
            .destQpn(peer.soft.qpNum()).rqPsn(0).maxDestRdAtomic(1).minRnrTimer(12));
        qp.soft.modify(new QpAttributes().state(QpState.RTS).timeout(10).retryCount(2).rnrRetry(2).sqPsn(0).maxRdAtomic(1));
    }

    /** Makes a queue pair for datagrams ready, with handle 1 for the device itself. */
    void readyForDatagrams(PlayedProgram.Qp qp) {
        qp.soft.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
        qp.soft.modify(new QpAttributes().state(QpState.RTR));
        qp.soft.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
        hostile.objects.add(1, hostile.pd.createAh(AddressVector.to(ADDRESS, 1)));
        qp.posting.onModified(QpState.RTS);
    }

    void ringHostile() {
        bells.ring(HOSTILE);
    }

    void runFor(long ns) {
        simulation.runFor(ns);
    }

    /** Lets the victims exchange a SEND and a WRITE, and compares every byte of their memory. */
    void exchange() {
        exchanges++;
        for (int at = 8; at < MESSAGE_BYTES; at += 16) {
            sender.memory.set(ValueLayout.JAVA_LONG, at, (long) exchanges << 32 | at);
        }
        sendersImage.copyFrom(sender.memory);
        int received = exchanges % 4 * 1024;
        MemorySegment.copy(sender.memory, 0, receiversImage, received, MESSAGE_BYTES);
        MemorySegment.copy(sender.memory, 0, receiversImage, WRITTEN, MESSAGE_BYTES);
        to.receive(exchanges, receiver.element(received, MESSAGE_BYTES));
        RingLibrary.Element message = sender.element(0, MESSAGE_BYTES);
        from.send(new RingLibrary.Send(true, 2 * exchanges, message, WRITTEN, receiver.objects.region.rkey()));
        from.send(new RingLibrary.Send(false, 2 * exchanges + 1, message, 0, 0));
        bells.ring(SENDER);
        List<RingLibrary.Done> done = new ArrayList<>();
        boolean completed = simulation.runUntil(() -> {
            take(from, done);
            take(to, done);
            return done.size() >= 3;
        }, world.nowNs() + PATIENCE_NS);
        check(completed && done.size() == 3, "the victims' requests do not complete: " + done);
        check(done.contains(new RingLibrary.Done(2 * exchanges, 0)) && done.contains(new RingLibrary.Done(2 * exchanges + 1, 0))
            && done.contains(new RingLibrary.Done(exchanges, 0)), "the victims' requests fail: " + done);
        checkMemory();
    }

    private static void take(PlayedProgram.Qp qp, List<RingLibrary.Done> done) {
        for (RingLibrary.Done next = qp.cq.poll(); next != null; next = qp.cq.poll()) {
            done.add(next);
        }
    }

    private void checkMemory() {
        check(sendersImage.mismatch(sender.memory) < 0, "the sender's memory was changed at " + sendersImage.mismatch(sender.memory));
        check(receiversImage.mismatch(receiver.memory) < 0,
            "the receiver's memory was changed at " + receiversImage.mismatch(receiver.memory));
        for (int at = 0; at <= PlayedProgram.MEMORY_BYTES - Long.BYTES; at++) {
            check(hostile.memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != SECRET, "the hostile program has read the victims' memory");
        }
    }

    /** Requires that the device's code has not failed. A queue pair that failed at the door is found when it is destroyed. */
    void checkFaults() {
        check(context.counters().get("internal_errors") == 0, "internal errors");
    }

    /** Destroys all objects; nothing of them may be left. */
    void destroy() {
        hostile.destroy();
        check(context.memory().regionCount() == 2, context.memory().regionCount() + " regions, the victims have two");
        sender.destroy();
        receiver.destroy();
        check(context.memory().regionCount() == 0, "regions are left");
        context.close();
    }

    /** Polls the door beside the device, because that of simulated TCP waits for no descriptors and so takes no door. */
    private final class DoorAlone implements DeviceWork {
        @Override
        public int doWork(long nowNs) {
            return door.poll(nowNs);
        }

        @Override
        public long deadlineNs() {
            return Deadline.NEVER;
        }

        @Override
        public void await(long timeoutNs) {
            throw new AssertionError("a simulation does not wait");
        }

        @Override
        public void wakeup() {
            throw new AssertionError("a simulation does not wait");
        }
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
