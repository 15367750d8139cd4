// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.LinkProfile;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rxe.engine.RxeEngine;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
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
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.XrcDomain;

/** Two devices on a simulated fabric, one queue pair each, connected if its service connects: the start of most machine tests. */
public final class SimulatedPair {
    public static final int ALL_REMOTE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND;
    public static final long SECOND = 1_000_000_000L;

    final SimulatedFabric fabric;
    final Simulation simulation;
    final Side a;
    final Side b;

    /** Parameters of both queue pairs, for tests to change. */
    public static final class Setup {
        QpType type = QpType.RC;
        int qkey = 0x11111111;
        Mtu mtu = Mtu.MTU_1024;
        int sqPsnA = 0x123456;
        int sqPsnB = 0x654321;
        int timeout = 14;
        int retryCount = 7;
        int rnrRetry = 7;
        int minRnrTimer = 12;
        int rdAtomic = 4;
        int destRdAtomic = 4;
        int accessA = AccessFlags.REMOTE_ANY;
        int accessB = AccessFlags.REMOTE_ANY;
        int queueDepth = 64;
        int maxSge = 4;
        int cqe = 4096;
        /** Receives of a shared queue that the queue pair uses; 0 for a receive queue of its own. */
        int srqDepth;
        boolean hiddenIpId;
        boolean ipv6;
        FaultPlan faults = FaultPlan.NONE;
        RxeOptions options = RxeOptions.DEFAULT;
    }

    /** One end. */
    public static final class Side {
        final Context context;
        final ProtectionDomain pd;
        final CompletionQueue sendCq;
        final CompletionQueue recvCq;
        /** Queue pair of an XRC target, which has its receives in {@link #srq}; else null. */
        final XrcDomain xrcd;
        final SharedReceiveQueue srq;
        final QueuePair qp;
        final Gid gid;
        private final QpCapabilities cap;
        private final QpType type;
        private final List<WorkCompletion> sendDone = new ArrayList<>();
        private final List<WorkCompletion> recvDone = new ArrayList<>();

        Side(Context context, Gid gid, Setup setup) {
            this.context = context;
            this.gid = gid;
            pd = context.allocatePd();
            sendCq = context.createCq(setup.cqe);
            recvCq = context.createCq(setup.cqe);
            xrcd = setup.type == QpType.XRC_RECV ? context.openXrcd(null, XrcDomain.CREATE) : null;
            srq = xrcd != null ? xrcd.createSrq(pd, recvCq, setup.queueDepth, setup.maxSge, 0)
                : setup.srqDepth == 0 ? null : pd.createSrq(setup.srqDepth, setup.maxSge, 0);
            cap = new QpCapabilities(setup.queueDepth, setup.queueDepth, setup.maxSge, setup.maxSge, 64);
            type = setup.type;
            qp = newQp(pd);
        }

        /** One more queue pair like {@link #qp}, not connected. */
        QueuePair newQp(ProtectionDomain in) {
            return xrcd != null ? xrcd.createTarget() : in.createQp(new QpInitAttributes(type, sendCq, recvCq, srq, cap, false));
        }

        MemoryRegion memory(long bytes, int access) {
            return pd.register(Arena.ofAuto().allocate(bytes, 64), access);
        }

        MemoryRegion memory(byte[] content) {
            MemoryRegion region = memory(Math.max(1, content.length), ALL_REMOTE);
            MemorySegment.copy(content, 0, region.memory(), java.lang.foreign.ValueLayout.JAVA_BYTE, 0, content.length);
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

        RxeEngine engine() {
            return ((RxeContext) context).running().engine();
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

    SimulatedPair(long seed, Setup setup) {
        this(seed, setup, setup);
    }

    SimulatedPair(long seed, Setup setupA, Setup setupB) {
        RandomGenerator random = new SplittableRandom(seed);
        fabric = new SimulatedFabric(seed, setupA.faults);
        simulation = new Simulation(fabric);
        LinkProfile profile = LinkProfile.DEFAULT.withIpHeader(
            setupA.hiddenIpId ? LinkProfile.IpHeader.HIDDEN : LinkProfile.IpHeader.DELIVERED);
        Gid gidA = setupA.ipv6 ? new Gid(0xfd00L << 48, 1) : Gid.ofIpv4(0x0a000001);
        Gid gidB = setupA.ipv6 ? new Gid(0xfd00L << 48, 2) : Gid.ofIpv4(0x0a000002);
        a = new Side(SimulatedRxe.open(simulation, fabric.attach(profile, gidA), random, 9000, setupA.options), gidA, setupA);
        b = new Side(SimulatedRxe.open(simulation, fabric.attach(profile, gidB), random, 9000, setupB.options), gidB, setupB);
        connect(a, b.gid, b.qp.qpNum(), setupA, setupA.accessA, setupA.sqPsnA, setupA.sqPsnB);
        connect(b, a.gid, a.qp.qpNum(), setupB, setupB.accessB, setupB.sqPsnB, setupB.sqPsnA);
    }

    static void connect(Side side, Gid peer, int peerQpn, Setup setup, int access, int sqPsn, int rqPsn) {
        connect(side.qp, peer, peerQpn, setup, access, sqPsn, rqPsn);
    }

    static void connect(QueuePair qp, Gid peer, int peerQpn, Setup setup, int access, int sqPsn, int rqPsn) {
        qp.modify(init(setup, access));
        qp.modify(rtr(peer, peerQpn, setup, rqPsn));
        qp.modify(rts(setup, sqPsn));
    }

    static QpAttributes init(Setup setup, int access) {
        QpAttributes attributes = new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1);
        return setup.type == QpType.UD ? attributes.qkey(setup.qkey) : attributes.accessFlags(access);
    }

    static QpAttributes rtr(Gid peer, int peerQpn, Setup setup, int rqPsn) {
        QpAttributes attributes = new QpAttributes().state(QpState.RTR);
        if (setup.type == QpType.UD) {
            return attributes;
        }
        attributes.addressVector(AddressVector.to(peer, 1)).pathMtu(setup.mtu).destQpn(peerQpn).rqPsn(rqPsn);
        return setup.type == QpType.UC || setup.type == QpType.XRC_SEND ? attributes
            : attributes.maxDestRdAtomic(setup.destRdAtomic).minRnrTimer(setup.minRnrTimer);
    }

    static QpAttributes rts(Setup setup, int sqPsn) {
        QpAttributes attributes = new QpAttributes().state(QpState.RTS).sqPsn(sqPsn);
        return switch (setup.type) {
            case RC, XRC_SEND -> attributes.timeout(setup.timeout).retryCount(setup.retryCount).rnrRetry(setup.rnrRetry)
                .maxRdAtomic(setup.rdAtomic);
            case XRC_RECV -> attributes.timeout(setup.timeout);
            case UC, UD -> attributes;
        };
    }

    /** Runs until the condition holds; fails if it does not within ten virtual minutes. */
    void runUntil(java.util.function.BooleanSupplier condition) {
        if (!simulation.runUntil(condition, fabric.nowNs() + 600 * SECOND)) {
            throw new AssertionError("not within ten virtual minutes; seed " + fabric.seed());
        }
    }

    /** Runs until no event is left. */
    void settle() {
        simulation.runFor(5 * SECOND);
    }
}
