// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.rxe.config.Segmentation;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;

/** Makes the queue pairs of a scenario on both sides, connects them, and registers each direction with the wire checker. */
final class QueuePairSetup {
    private static final int NARROW_CQE = 256;
    private static final Gid GROUP_V4 = Gid.ofIpv4(0xe0010203);
    private static final Gid GROUP_V6 = new Gid(0xff0eL << 48, 0x10203);
    /** Bytes of the shortest receives that serve all messages, a GRH and some more; and how many bytes longer they may be. */
    private static final int SMALLEST_SLOT = 64;
    private static final int LARGEST_SLOT = 6000;

    private final Scenario scenario;
    private final SplittableRandom random;
    private final WireChecker wire;
    private final Side a;
    private final Side b;
    private final List<RequestStream> streams = new ArrayList<>();
    private final List<RequestStream> looseStreams = new ArrayList<>();

    /** @param random the run's generator, from which everything not in the scenario is drawn */
    QueuePairSetup(Scenario scenario, SplittableRandom random, WireChecker wire, Side a, Side b) {
        this.scenario = scenario;
        this.random = random;
        this.wire = wire;
        this.a = a;
        this.b = b;
    }

    /** Streams of RC, both directions of each connection one after the other. */
    List<RequestStream> streams() {
        return streams;
    }

    /** Streams of UC and UD. */
    List<RequestStream> looseStreams() {
        return looseStreams;
    }

    /** Adds the queue pairs of RC, then of UC, then of UD; both sides get the same number of each. */
    void addAll() {
        Mix mix = scenario.mix();
        int count = scenario.pairs() + mix.ucPairs() + mix.udPerSide();
        boolean[] sharesOnA = drawSharing(a, true, count);
        boolean[] sharesOnB = drawSharing(b, false, count);
        if (mix.group()) {
            a.group = scenario.ipv6() ? GROUP_V6 : GROUP_V4;
            b.group = a.group;
            wire.setGroup(a.group);
        }
        for (int i = 0; i < count; i++) {
            QpType service = i < scenario.pairs() ? QpType.RC : i < scenario.pairs() + mix.ucPairs() ? QpType.UC : QpType.UD;
            Endpoint endA = addEndpoint(a, i, service, sharesOnA[i]);
            Endpoint endB = addEndpoint(b, i, service, sharesOnB[i]);
            int psnA = scenario.psnA() + i * 1000 & 0xffffff;
            int psnB = scenario.psnB() + i * 1000 & 0xffffff;
            switch (service) {
                case RC -> addConnection(i, endA, endB, psnA, psnB);
                case UC -> addLooseConnection(i, endA, endB, psnA, psnB);
                default -> {
                    addDatagrams(i, endA, psnA);
                    addDatagrams(i, endB, psnB);
                }
            }
        }
    }

    /** Which queue pairs of a side share their receives; makes the queue if there are any. */
    private boolean[] drawSharing(Side side, boolean onA, int count) {
        boolean[] shares = new boolean[count];
        int users = 0;
        for (int i = 0; i < count; i++) {
            shares[i] = random.nextDouble() < scenario.mix().shared(onA);
            users += shares[i] ? 1 : 0;
        }
        if (users > 0) {
            // Each may hold one for a message that never ends, and there is still one for each.
            int capacity = 2 * users + scenario.mix().spare();
            int slotBytes = SMALLEST_SLOT + random.nextInt(Math.min(4 * scenario.mtu().bytes(), LARGEST_SLOT));
            side.shared = new ReceivePool(side.memory, random, side.pd.createSrq(capacity, scenario.maxSge(), 0), users, capacity,
                scenario.maxSge(), slotBytes);
        }
        return shares;
    }

    private Endpoint addEndpoint(Side side, int number, QpType service, boolean shares) {
        boolean onA = side == a;
        CompletionQueue narrow = scenario.suffers(number, onA, kind -> kind == Accident.Kind.OVERRUN) ? side.context.createCq(NARROW_CQE)
            : null;
        QpCapabilities cap = new QpCapabilities(scenario.sendDepth(), scenario.receiveDepth(), scenario.maxSge(), scenario.maxSge(),
            Side.MAX_INLINE);
        QueuePair qp = side.pd.createQp(new QpInitAttributes(service, narrow == null ? side.sendCq : narrow,
            narrow == null ? side.recvCq : narrow, shares ? side.shared.queue() : null, cap, scenario.signalAll()));
        ShadowedMemory doomed = scenario.suffers(number, onA, kind -> kind.ofMemory) ? new ShadowedMemory(random.split(), true) : null;
        Endpoint endpoint = new Endpoint(side, qp, doomed, shares ? side.shared : service == QpType.RC ? null : ownPool(side, qp), narrow);
        if (scenario.suffers(number, onA, kind -> kind == Accident.Kind.FREE_WINDOW)) {
            endpoint.window = side.allocateWindow(MemoryWindow.Type.TYPE_1);
        }
        side.endpoints.add(endpoint);
        return endpoint;
    }

    /** Receives for whatever comes; those of datagrams may be too short for some. */
    private ReceivePool ownPool(Side side, QueuePair qp) {
        int slotBytes = SMALLEST_SLOT + random.nextInt(qp.type() == QpType.UD ? LARGEST_SLOT : 4 * scenario.mtu().bytes());
        ReceivePool pool = new ReceivePool(side.memory, random, null, 1, scenario.receiveDepth(), scenario.maxSge(), slotBytes);
        pool.ownedBy(qp);
        return pool;
    }

    private void addConnection(int number, Endpoint endA, Endpoint endB, int psnA, int psnB) {
        connect(endA.qp, endB, psnA, psnB);
        connect(endB.qp, endA, psnB, psnA);
        if (scenario.optionsA().keepAliveNs() > 0) {
            endA.probes(endB, scenario.mayDie());
        }
        if (scenario.optionsB().keepAliveNs() > 0) {
            endB.probes(endA, scenario.mayDie());
        }
        wire.addFlow(a.gid, endA.qp.qpNum(), b.gid, endB.qp.qpNum(), flow(psnA, scenario.optionsA()));
        wire.addFlow(b.gid, endB.qp.qpNum(), a.gid, endA.qp.qpNum(), flow(psnB, scenario.optionsB()));
        streams.add(new RequestStream("a" + number, endA, endB, scenario, scenario.mayDie(number)));
        streams.add(new RequestStream("b" + number, endB, endA, scenario, scenario.mayDie(number)));
    }

    private Flow flow(int firstPsn, QueuePairOptions options) {
        return new Flow(firstPsn, scenario.mtu().bytes(), scenario.rdAtomic(), scenario.timeout(), scenario.retryCount(),
            options.recovery() == Recovery.EARLY, options.segmentation() == Segmentation.EQUAL);
    }

    private void connect(QueuePair qp, Endpoint peer, int sqPsn, int rqPsn) {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer.side.gid, 1)).pathMtu(scenario.mtu())
            .destQpn(peer.qp.qpNum()).rqPsn(rqPsn).maxDestRdAtomic(scenario.destRdAtomic()).minRnrTimer(scenario.minRnrTimer()));
        qp.modify(new QpAttributes().state(QpState.RTS).timeout(scenario.timeout()).retryCount(scenario.retryCount())
            .rnrRetry(scenario.rnrRetry()).sqPsn(sqPsn).maxRdAtomic(scenario.rdAtomic()));
    }

    private void addLooseConnection(int number, Endpoint endA, Endpoint endB, int psnA, int psnB) {
        addLooseStream("a" + number + "uc", endA, endB, psnA, psnB, number);
        addLooseStream("b" + number + "uc", endB, endA, psnB, psnA, number);
    }

    private void addLooseStream(String name, Endpoint from, Endpoint to, int psn, int peersPsn, int number) {
        from.qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_WRITE));
        from.qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(to.side.gid, 1)).pathMtu(scenario.mtu())
            .destQpn(to.qp.qpNum()).rqPsn(peersPsn));
        from.qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(psn));
        wire.addUcFlow(from.side.gid, from.qp.qpNum(), to.side.gid, to.qp.qpNum(),
            new UcFlow(psn, scenario.mtu().bytes(), from.doomed != null, to.arrivals));
        looseStreams.add(new RequestStream(name, from, to, scenario, scenario.mayDie(number)));
    }

    private void addDatagrams(int number, Endpoint endpoint, int psn) {
        int qkey = scenario.mix().qkey();
        QueuePair qp = endpoint.qp;
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(qkey));
        qp.modify(new QpAttributes().state(QpState.RTR));
        qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(psn));
        boolean inGroup = endpoint.side.group != null;
        if (inGroup) {
            qp.attachMulticast(endpoint.side.group);
        }
        wire.addDatagrams(endpoint.side.gid, qp.qpNum(), psn, qkey, inGroup, endpoint.arrivals);
        looseStreams.add(new RequestStream((endpoint.side == a ? "a" : "b") + number + "ud", endpoint, null, scenario,
            scenario.mayDie(number)));
    }
}
