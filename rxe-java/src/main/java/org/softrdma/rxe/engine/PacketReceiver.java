// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.nio.ByteBuffer;
import java.util.List;
import org.softrdma.device.Counters;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.rxe.qp.LingeringQueuePairs;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.rxe.qp.RxeCounter;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.IpIdSolver;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.PacketCheck;

/**
 * The edge: the only place that looks at bytes nobody has checked. What passes is whole, has a correct ICRC, comes from where the queue
 * pair it names takes packets from, and can be read without further checks; everything else is dropped and counted by name.
 */
final class PacketReceiver implements FrameHandler {
    private static final int LARGEST_PAYLOAD = 4096;
    private static final int LARGEST_HEADERS = 64;
    /** ECN, the low bits of the traffic class: both set is the mark. RFC 3168 §5 */
    private static final int CONGESTION_EXPERIENCED = 3;

    /** Behind the identification, with DF in it: a CRC takes one field's difference as any other's. */
    private static final int FRAGMENT_FIELD_BYTES = 2;

    private final RxeEngine engine;
    private final Counters<RxeCounter> counters;
    private final Icrc icrc = new Icrc();
    private final IpIdSolver ipIds = new IpIdSolver();
    private int lastIpId;
    private long nowNs;

    PacketReceiver(RxeEngine engine, Counters<RxeCounter> counters) {
        this.engine = engine;
        this.counters = counters;
    }

    void setNow(long ns) {
        nowNs = ns;
    }

    @Override
    public void onFrame(ReceivedFrame frame) {
        RxeCounter reason = take(frame);
        if (reason != null) {
            counters.count(reason);
        }
    }

    /** Only a management datagram is known so well by its beginning that nobody else can have sent it back. */
    @Override
    public void onReturned(ReceivedFrame packet) {
        ByteBuffer buffer = packet.buffer();
        int at = packet.offset();
        if (packet.length() >= Gsi.RETURNED_BYTES && Bth.opcode(buffer, at) == Opcode.UD_SEND_ONLY
            && Bth.destQp(buffer, at) == Mad.GSI_QPN) {
            engine.gsi().onReturned(packet);
        }
    }

    /** @return why it was dropped, or null */
    private RxeCounter take(ReceivedFrame frame) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        int length = frame.length();
        if (!frame.isRoceV1() && frame.destPort() != engine.port()) {
            return RxeCounter.DROP_BAD_PORT;
        }
        if (length > LARGEST_PAYLOAD + LARGEST_HEADERS) {
            return RxeCounter.DROP_BAD_LENGTH;
        }
        int verdict = PacketCheck.verdict(buffer, at, length);
        switch (verdict) {
            case PacketCheck.OK, PacketCheck.UNKNOWN_OPCODE -> { }
            case PacketCheck.TOO_SHORT -> {
                return RxeCounter.DROP_TOO_SHORT;
            }
            case PacketCheck.BAD_TRANSPORT_VERSION -> {
                return RxeCounter.DROP_BAD_VERSION;
            }
            default -> {
                return RxeCounter.DROP_BAD_LENGTH;
            }
        }
        int qpn = Bth.destQp(buffer, at);
        if (qpn == MulticastTable.QPN && frame.local().isMulticast()) {
            return takeForGroup(frame);
        }
        if (qpn == Mad.GSI_QPN) {
            return takeForGsi(frame);
        }
        QpMachine qp = engine.find(qpn);
        LingeringQueuePairs.Ghost ghost = qp == null ? engine.ghosts().find(qpn) : null;
        if (qp == null && ghost == null) {
            return verdict == PacketCheck.UNKNOWN_OPCODE ? RxeCounter.DROP_UNKNOWN_OPCODE : RxeCounter.DROP_UNKNOWN_QPN;
        }
        RxeCounter badOrigin = qp == null ? ghost.checkOrigin(frame) : qp.checkOrigin(frame);
        if (badOrigin != null) {
            return badOrigin;
        }
        RxeCounter refusal = checkPartitionAndIcrc(frame);
        if (refusal != null) {
            return refusal;
        }
        counters.count(RxeCounter.RCVD_PKTS);
        if (qp == null) {
            engine.ghosts().onPacket(ghost, frame);
        } else {
            hand(frame, qp);
        }
        return null;
    }

    /** One packet for all queue pairs that are attached to the group. */
    private RxeCounter takeForGroup(ReceivedFrame frame) {
        List<QpMachine> members = engine.multicast().attached(frame.local());
        if (members.isEmpty()) {
            return RxeCounter.DROP_UNKNOWN_GROUP;
        }
        RxeCounter refusal = checkPartitionAndIcrc(frame);
        if (refusal != null) {
            return refusal;
        }
        counters.count(RxeCounter.RCVD_PKTS);
        for (int i = 0; i < members.size(); i++) {
            hand(frame, members.get(i));
        }
        return null;
    }

    private RxeCounter takeForGsi(ReceivedFrame frame) {
        RxeCounter refusal = engine.gsi().check(frame);
        if (refusal == null) {
            refusal = checkPartitionAndIcrc(frame);
        }
        if (refusal != null) {
            return refusal;
        }
        counters.count(RxeCounter.RCVD_PKTS);
        engine.gsi().onPacket(frame);
        return null;
    }

    private void hand(ReceivedFrame frame, QpMachine qp) {
        try {
            if (Bth.opcode(frame.buffer(), frame.offset()) == Opcode.CNP) {
                qp.onCongestionNotification(nowNs);
            } else {
                qp.onPacket(nowNs, frame);
                if ((frame.trafficClass() & CONGESTION_EXPERIENCED) == CONGESTION_EXPERIENCED) {
                    qp.onCongestionMark(nowNs);
                }
            }
        } catch (RuntimeException | InternalError broken) {
            engine.onBroken(qp, broken);
        }
        engine.touched(qp);
        if (engine.gsi().manager().isAwaitingPackets()) {
            engine.gsi().manager().onPacket(qp.qpn());
        }
    }

    private RxeCounter checkPartitionAndIcrc(ReceivedFrame frame) {
        if (!isOurPartition(Bth.pkey(frame.buffer(), frame.offset()))) {
            return RxeCounter.DROP_BAD_PKEY;
        }
        return isIntact(frame) ? null : RxeCounter.DROP_BAD_ICRC;
    }

    /** Default partition; the peer may be a limited member because we are a full one. IBA vol 1 §10.9.3 */
    private static boolean isOurPartition(int pkey) {
        return (pkey & 0x7fff) == (QpMachine.PKEY & 0x7fff);
    }

    /**
     * Checks the ICRC. Where the link hides the IPv4 identification, which the ICRC covers, there must be one identification that makes it
     * right: of all damaged packets one in 65,536 passes that, and one in 2^32 where the identification is known.
     */
    private boolean isIntact(ReceivedFrame frame) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        int end = at + frame.length() - Icrc.LENGTH;
        int received = Icrc.get(buffer, end);
        if (frame.isRoceV1()) {
            return received == icrc.ofGrhPayload(buffer, at, end, frame.remoteHigh(), frame.remoteLow(), frame.local().high(),
                frame.local().low());
        }
        if (!frame.isIpv4()) {
            return received == icrc.ofIpv6Payload(buffer, at, end, frame.remoteHigh(), frame.remoteLow(), frame.local().high(),
                frame.local().low(), frame.sourcePort(), frame.destPort());
        }
        int computed = icrc.ofIpv4Payload(buffer, at, end, (int) frame.remoteLow(), frame.local().ipv4(), frame.sourcePort(),
            frame.destPort());
        int bytesAfterId = IpIdSolver.bytesAfterId(at, end);
        if (frame.mayFragment()) {
            computed ^= ipIds.difference(Ipv4.DF, bytesAfterId - FRAGMENT_FIELD_BYTES);
        }
        if (frame.ipId() != ReceivedFrame.IP_ID_HIDDEN) {
            return (computed ^ ipIds.difference(frame.ipId(), bytesAfterId)) == received;
        }
        boolean intact = computed == received || hasSomeIpId(computed, received, bytesAfterId);
        frame.ipIdIs(computed == received ? 0 : lastIpId);
        return intact;
    }

    /** Packets of one train bear identifications that count up: looking at the next one first is cheaper than solving. */
    private boolean hasSomeIpId(int computedWithIdZero, int received, int bytesAfterId) {
        int next = lastIpId + 1 & 0xffff;
        lastIpId = (computedWithIdZero ^ ipIds.difference(next, bytesAfterId)) == received
            ? next
            : ipIds.solve(computedWithIdZero, received, bytesAfterId);
        return lastIpId >= 0;
    }
}
