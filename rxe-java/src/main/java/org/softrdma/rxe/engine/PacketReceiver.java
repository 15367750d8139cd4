// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.nio.ByteBuffer;
import java.util.List;
import org.softrdma.device.Counters;
import org.softrdma.device.engine.Guard;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.rxe.qp.InboundPacket;
import org.softrdma.rxe.qp.LingeringQueuePairs;
import org.softrdma.rxe.qp.PacketEvents;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.rxe.qp.RxeCounter;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;

/**
 * The edge of the device: the only reader of unchecked bytes. A packet that passes is whole, has a correct ICRC, was sent from where the
 * queue pair it names receives packets, and can be read without further checks; {@link #deliver} hands it over as an
 * {@link InboundPacket}. Every other packet is dropped and counted by its reason.
 */
final class PacketReceiver implements FrameHandler {
    /** ECN, the low bits of the traffic class, both set: congestion experienced. RFC 3168 §5 */
    private static final int CONGESTION_EXPERIENCED = 3;

    private static final Guard.Step<PacketReceiver, QpMachine> EXECUTE = (receiver, qp, ns) -> receiver.execute(qp, ns);

    private final RxeEngine engine;
    private final Counters<RxeCounter> counters;
    private final PacketVerifier verifier;
    private final InboundPacket packet = new InboundPacket();
    private long nowNs;

    /** @param port UDP port that packets of RoCE v2 must be addressed to */
    PacketReceiver(RxeEngine engine, int port, Counters<RxeCounter> counters) {
        this.engine = engine;
        this.counters = counters;
        verifier = new PacketVerifier(port, engine.link()::subnetPort);
    }

    void setNow(long ns) {
        nowNs = ns;
    }

    @Override
    public void onFrame(ReceivedFrame frame) {
        RxeCounter reason = verifier.checkHeaders(frame);
        if (reason != null) {
            counters.count(reason);
            engine.dropped().occurred(RecordedEvent.Effect.DROPPED, reason.reason(), 0, 0, 0);
            return;
        }
        packet.set(frame);
        reason = classify(frame);
        if (reason != null) {
            counters.count(reason);
            PacketEvents.dropped(engine.dropped(), packet, reason);
        }
    }

    /** Management datagrams only: their first bytes identify the sender, so that no other host can have returned them. */
    @Override
    public void onReturned(ReceivedFrame frame) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        if (frame.length() >= Gsi.RETURNED_BYTES && Bth.opcode(buffer, at) == Opcode.UD_SEND_ONLY
            && Bth.destQp(buffer, at) == Mad.GSI_QPN) {
            engine.gsi().onReturned(frame);
        }
    }

    /**
     * Delivers the packet to its destination.
     *
     * @return why it was dropped, or null
     */
    private RxeCounter classify(ReceivedFrame frame) {
        if (packet.destQpn() == MulticastTable.QPN && frame.local().isMulticast()) {
            return classifyForGroup();
        }
        if (packet.destQpn() == Mad.GSI_QPN) {
            return classifyForGsi();
        }
        QpMachine qp = engine.find(packet.destQpn());
        return qp == null ? classifyForLingering() : classifyFor(qp);
    }

    private RxeCounter classifyFor(QpMachine qp) {
        RxeCounter refusal = qp.checkOrigin(packet);
        if (refusal == null) {
            refusal = verifier.checkPartitionAndIcrc(packet, qp.pkey());
        }
        if (refusal == null) {
            counters.count(RxeCounter.RCVD_PKTS);
            deliver(qp);
        }
        return refusal;
    }

    /** No queue pair has the number: a destroyed one may linger. */
    private RxeCounter classifyForLingering() {
        LingeringQueuePairs.Entry entry = engine.lingering().find(packet.destQpn());
        if (entry == null) {
            return Opcode.isKnown(packet.opcode()) ? RxeCounter.DROP_UNKNOWN_QPN : RxeCounter.DROP_UNKNOWN_OPCODE;
        }
        RxeCounter refusal = entry.checkOrigin(packet);
        if (refusal == null) {
            refusal = verifier.checkPartitionAndIcrc(packet, entry.pkey());
        }
        if (refusal == null) {
            counters.count(RxeCounter.RCVD_PKTS);
            refusal = engine.lingering().onPacket(entry, packet);
        }
        return refusal;
    }

    /** Delivers one packet to all queue pairs that are attached to its group. */
    private RxeCounter classifyForGroup() {
        List<QpMachine> members = engine.objects().multicast().attached(packet.frame().local());
        if (members.isEmpty()) {
            return RxeCounter.DROP_UNKNOWN_GROUP;
        }
        RxeCounter refusal = verifier.checkAnyPartitionAndIcrc(packet);
        if (refusal == null) {
            counters.count(RxeCounter.RCVD_PKTS);
            for (int i = 0; i < members.size(); i++) {
                deliver(members.get(i));
            }
        }
        return refusal;
    }

    private RxeCounter classifyForGsi() {
        RxeCounter refusal = engine.gsi().check(packet);
        if (refusal == null) {
            refusal = verifier.checkAnyPartitionAndIcrc(packet);
        }
        if (refusal == null) {
            counters.count(RxeCounter.RCVD_PKTS);
            engine.gsi().onPacket(packet);
        }
        return refusal;
    }

    private void deliver(QpMachine qp) {
        engine.guard().run(EXECUTE, this, qp, nowNs);
        engine.activate(qp);
        if (engine.gsi().manager().isAwaitingPackets()) {
            engine.gsi().manager().onPacket(qp.qpn());
        }
    }

    private int execute(QpMachine qp, long ns) {
        PacketEvents.received(qp.observer(), packet);
        if (packet.opcode() == Opcode.CNP) {
            qp.onCongestionNotification(ns);
        } else {
            qp.onPacket(ns, packet);
            if ((packet.frame().trafficClass() & CONGESTION_EXPERIENCED) == CONGESTION_EXPERIENCED) {
                qp.onCongestionMark(ns);
            }
        }
        return 1;
    }
}
