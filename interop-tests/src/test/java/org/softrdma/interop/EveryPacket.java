// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.capture.CaptureLink;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.recording.EventCollection;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.Recording;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.FlushFlags;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.XrcDomain;

/** Two devices on a simulated fabric that exchange every kind of packet, valid and rejected ones, captured at one of them. */
final class EveryPacket {
    private static final int[] SIZES = {0, 1, 10, 256, 300, 700};
    private static final int QUEUE = 128;
    private static final int MOST_EVENTS = 100_000;
    private static final int QKEY = 0x11111111;
    private static final long SECOND_NS = 1_000_000_000L;

    private final SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
    private final Simulation simulation = new Simulation(fabric);
    private final SplittableRandom random = new SplittableRandom(1);
    private final Gid aliceAt;
    private final Gid bobAt;
    private final CaptureLink capture;
    private final End alice;
    private final End bob;
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();

    /** A device with one completion queue and one region. */
    private static final class End {
        final Context context;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final MemoryRegion region;

        End(Context context) {
            this.context = context;
            pd = context.allocatePd();
            cq = context.createCq(1000);
            region = pd.register(Arena.ofAuto().allocate(4096, 4096), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY
                | AccessFlags.MW_BIND | AccessFlags.FLUSH_GLOBAL);
        }
    }

    private EveryPacket(Path file, boolean ipv6) {
        aliceAt = ipv6 ? new Gid(0xfd00L << 48, 1) : Gid.ofIpv4(0x0a000001);
        bobAt = ipv6 ? new Gid(0xfd00L << 48, 2) : Gid.ofIpv4(0x0a000002);
        capture = new CaptureLink(fabric.attach(aliceAt), file, fabric::nowNs);
        alice = new End(SimulatedRxe.open(simulation, capture, random, 9000));
        bob = new End(SimulatedRxe.open(simulation, fabric.attach(bobAt), random, 9000));
    }

    /**
     * Writes the capture file.
     *
     * @return recordings of the device with the capture, and of the other one
     */
    static List<Recording> captureTo(Path file, boolean ipv6) {
        EveryPacket all = new EveryPacket(file, ipv6);
        try (EventCollection ofAlice = FlightRecorder.of(all.alice.context).collect(MOST_EVENTS);
             EventCollection ofBob = FlightRecorder.of(all.bob.context).collect(MOST_EVENTS)) {
            all.reliable();
            all.refused();
            all.unreliable();
            all.datagrams();
            all.xrc();
            return List.of(ofAlice.recording(), ofBob.recording());
        } finally {
            all.capture.close();
        }
    }

    private void reliable() {
        QueuePair a = create(alice, QpType.RC);
        QueuePair b = create(bob, QpType.RC);
        connect(a, b);
        post(b, QUEUE);
        sendsAndWrites(a, 0);
        fetches(a, 0);
        a.postSend(wr.flush(bob.region.address(), bob.region.rkey(), 64, FlushFlags.GLOBAL, FlushFlags.RANGE));
        a.postSend(wr.atomicWrite(bob.region.address(), bob.region.rkey()).element(alice.region, 0, 8));
        settle();
        a.postSend(wr.sendWithInvalidate(window(b)).element(alice.region, 0, 10));
        a.postSend(wr.sendWithInvalidate(window(b)).element(alice.region, 0, 300));
        settle();
        require(a, QpState.RTS);
    }

    /** Produces an RNR NAK, a gap in the PSNs, and a request with an invalid key. */
    private void refused() {
        QueuePair a = create(alice, QpType.RC);
        QueuePair b = create(bob, QpType.RC);
        connect(a, b);
        a.postSend(wr.send().element(alice.region, 0, 10));
        simulation.runFor(1_000_000);
        post(b, QUEUE);
        settle();
        fabric.plan(FaultPlan.NONE.withLoss(0.2));
        for (int i = 0; i < QUEUE - 1; i++) {
            a.postSend(wr.send().element(alice.region, 0, 10));
        }
        settle();
        fabric.plan(FaultPlan.NONE);
        require(a, QpState.RTS);
        a.postSend(wr.write(bob.region.address(), ~bob.region.rkey()).element(alice.region, 0, 10));
        settle();
        require(a, QpState.ERR);
    }

    private void unreliable() {
        QueuePair a = create(alice, QpType.UC);
        QueuePair b = create(bob, QpType.UC);
        connect(a, b);
        post(b, QUEUE);
        sendsAndWrites(a, 0);
        settle();
        require(a, QpState.RTS);
    }

    private void datagrams() {
        QueuePair a = create(alice, QpType.UD);
        QueuePair b = create(bob, QpType.UD);
        for (QueuePair each : new QueuePair[] {a, b}) {
            each.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
            each.modify(new QpAttributes().state(QpState.RTR));
            each.modify(new QpAttributes().state(QpState.RTS).sqPsn(7));
        }
        post(b, QUEUE);
        AddressHandle handle = alice.pd.createAh(AddressVector.to(bobAt, 1));
        for (int size : SIZES) {
            a.postSend(wr.send().to(handle, b.qpNum(), QKEY).element(alice.region, 0, size));
            a.postSend(wr.sendWithImmediate(size).to(handle, b.qpNum(), QKEY).element(alice.region, 0, size));
        }
        settle();
    }

    /** Sends over XRC. SENDs with invalidation come last: a target has nothing that they could invalidate. */
    private void xrc() {
        XrcDomain domain = bob.context.openXrcd(null, XrcDomain.CREATE);
        SharedReceiveQueue srq = domain.createSrq(bob.pd, bob.cq, QUEUE, 1, 0);
        for (int i = 0; i < QUEUE; i++) {
            srq.postReceive(recv.begin(i).element(bob.region, 0, 4096));
        }
        QueuePair a = connectXrc(domain);
        sendsAndWrites(a, srq.number());
        fetches(a, srq.number());
        settle();
        require(a, QpState.RTS);
        for (int size : new int[] {10, 300}) {
            QueuePair refused = connectXrc(domain);
            refused.postSend(wr.sendWithInvalidate(0x12345678).toSrq(srq.number()).element(alice.region, 0, size));
            settle();
            require(refused, QpState.ERR);
        }
    }

    private QueuePair connectXrc(XrcDomain domain) {
        QueuePair a = create(alice, QpType.XRC_SEND);
        connect(a, domain.createTarget());
        return a;
    }

    // ---- traffic ----

    private void sendsAndWrites(QueuePair qp, int srqn) {
        long address = bob.region.address();
        int rkey = bob.region.rkey();
        for (int size : SIZES) {
            qp.postSend(wr.send().toSrq(srqn).element(alice.region, 0, size));
            qp.postSend(wr.sendWithImmediate(size).toSrq(srqn).element(alice.region, 0, size));
            qp.postSend(wr.write(address, rkey).toSrq(srqn).element(alice.region, 0, size));
            qp.postSend(wr.writeWithImmediate(address, rkey, size).toSrq(srqn).element(alice.region, 0, size));
        }
    }

    private void fetches(QueuePair qp, int srqn) {
        long address = bob.region.address();
        int rkey = bob.region.rkey();
        for (int size : SIZES) {
            qp.postSend(wr.read(address, rkey).toSrq(srqn).element(alice.region, 0, size));
        }
        qp.postSend(wr.compareAndSwap(address, rkey, 1, 2).toSrq(srqn).element(alice.region, 0, 8));
        qp.postSend(wr.fetchAndAdd(address, rkey, 1).toSrq(srqn).element(alice.region, 0, 8));
    }

    /**
     * Binds a window that the peer may invalidate.
     *
     * @return its key
     */
    private int window(QueuePair of) {
        int key = MemoryWindow.nextRkey(bob.pd.allocateMw(MemoryWindow.Type.TYPE_2).rkey());
        of.postSend(wr.bindWindow(key, bob.region, bob.region.address(), 64, AccessFlags.REMOTE_READ));
        settle();
        return key;
    }

    private void post(QueuePair qp, int receives) {
        for (int i = 0; i < receives; i++) {
            qp.postReceive(recv.begin(i).element(bob.region, 0, 4096));
        }
    }

    /** Runs the simulation until no packet or timer is pending. */
    private void settle() {
        simulation.runFor(5 * SECOND_NS);
        for (End each : new End[] {alice, bob}) {
            WorkCompletion[] done = WorkCompletion.array(each.cq.cqe());
            each.cq.poll(done);
        }
    }

    private static void require(QueuePair qp, QpState state) {
        if (qp.state() != state) {
            throw new AssertionError(qp.type() + " queue pair in " + qp.state() + " instead of " + state);
        }
    }

    // ---- queue pairs ----

    private static QueuePair create(End end, QpType type) {
        return end.pd.createQp(new QpInitAttributes(type, end.cq, end.cq, null, new QpCapabilities(QUEUE, QUEUE, 1, 1, 0), false));
    }

    private void connect(QueuePair a, QueuePair b) {
        connect(a, bobAt, b.qpNum());
        connect(b, aliceAt, a.qpNum());
    }

    private static void connect(QueuePair qp, Gid peer, int peersQpn) {
        boolean answers = qp.type() == QpType.RC || qp.type() == QpType.XRC_RECV;
        boolean asks = qp.type() == QpType.RC || qp.type() == QpType.XRC_SEND;
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1)
            .accessFlags(AccessFlags.REMOTE_ANY | AccessFlags.FLUSH_GLOBAL));
        QpAttributes rtr = new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer, 1)).pathMtu(Mtu.MTU_256)
            .destQpn(peersQpn).rqPsn(0xfffff0);
        qp.modify(answers ? rtr.maxDestRdAtomic(4).minRnrTimer(12) : rtr);
        QpAttributes rts = new QpAttributes().state(QpState.RTS).sqPsn(0xfffff0);
        if (asks || answers) {
            rts.timeout(14);
        }
        qp.modify(asks ? rts.retryCount(7).rnrRetry(7).maxRdAtomic(4) : rts);
    }
}
