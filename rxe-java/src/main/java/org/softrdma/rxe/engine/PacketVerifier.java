// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.SubnetPort;
import org.softrdma.rxe.qp.InboundPacket;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.rxe.qp.RxeCounter;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.IpIdSolver;
import org.softrdma.wire.roce.PacketCheck;

/** Checks the bytes of received packets: headers, partition and ICRC. Each check returns why the packet must be dropped, or null. */
final class PacketVerifier {
    private static final int LARGEST_PAYLOAD = 4096;
    private static final int LARGEST_HEADERS = 64;

    /** From the IPv4 identification to the field with DF, bytes: {@link IpIdSolver} computes the difference of any field in the CRC. */
    private static final int FRAGMENT_FIELD_BYTES = 2;

    private final int port;
    private final Icrc icrc = new Icrc();
    private final IpIdSolver ipIds = new IpIdSolver();
    private final Supplier<SubnetPort> subnetPort;
    private int lastIpId;

    /**
     * Creates a verifier.
     *
     * @param port       UDP port that packets of RoCE v2 must be addressed to
     * @param subnetPort the port of an InfiniBand subnet, whose P_Keys its packets need
     */
    PacketVerifier(int port, Supplier<SubnetPort> subnetPort) {
        this.port = port;
        this.subnetPort = subnetPort;
    }

    /** Whether all headers can be read. An unknown opcode passes: it is a queue pair's to refuse. */
    RxeCounter checkHeaders(ReceivedFrame frame) {
        if (frame.type() == GidType.ROCE_V2 && frame.destPort() != port) {
            return RxeCounter.DROP_BAD_PORT;
        }
        int largest = frame.isFromMemory() ? ReceivedFrame.MAX_PAYLOAD_IN_MEMORY : LARGEST_PAYLOAD;
        if (frame.length() > largest + LARGEST_HEADERS) {
            return RxeCounter.DROP_BAD_LENGTH;
        }
        return switch (PacketCheck.verdict(frame.buffer(), frame.offset(), frame.length())) {
            case PacketCheck.OK, PacketCheck.UNKNOWN_OPCODE -> null;
            case PacketCheck.TOO_SHORT -> RxeCounter.DROP_TOO_SHORT;
            case PacketCheck.BAD_TRANSPORT_VERSION -> RxeCounter.DROP_BAD_VERSION;
            default -> RxeCounter.DROP_BAD_LENGTH;
        };
    }

    /**
     * Checks a packet for a queue pair.
     *
     * @param pkey of the queue pair; the peer may be a limited member if it is a full one. IBA vol 1 §9.6.1.1.3, §10.9.3
     */
    RxeCounter checkPartitionAndIcrc(InboundPacket packet, int pkey) {
        return PKeyBlock.match(pkey, packet.pkey()) ? checkIcrc(packet.frame()) : RxeCounter.DROP_BAD_PKEY;
    }

    /** Checks a packet for queue pair 1 or a group: any of the port's partitions will do. On Ethernet that is the default one. */
    RxeCounter checkAnyPartitionAndIcrc(InboundPacket packet) {
        boolean ours = packet.frame().isOnSubnet() ? subnetPort.get().hasPartitionOf(packet.pkey())
            : PKeyBlock.match(QpMachine.PKEY, packet.pkey());
        return ours ? checkIcrc(packet.frame()) : RxeCounter.DROP_BAD_PKEY;
    }

    private RxeCounter checkIcrc(ReceivedFrame frame) {
        return frame.isWithoutIcrc() || isIntact(frame) ? null : RxeCounter.DROP_BAD_ICRC;
    }

    /**
     * Checks the ICRC. Where the link hides the IPv4 identification, which the ICRC covers, some identification must make it right: of all
     * damaged packets one in 65,536 passes that, and one in 2^32 where the identification is known.
     */
    private boolean isIntact(ReceivedFrame frame) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        int end = at + frame.length() - Icrc.LENGTH;
        int received = Icrc.get(buffer, end);
        if (frame.isWithinSubnet()) {
            return received == icrc.ofLrhPayload(buffer, at, end, frame.lrh());
        }
        if (frame.type() != GidType.ROCE_V2) {
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
        frame.setResolvedIpId(computed == received ? 0 : lastIpId);
        return intact;
    }

    /** Whether some identification explains the ICRC. Those of a train count up: trying the next one first is cheaper than solving. */
    private boolean hasSomeIpId(int computedWithIdZero, int received, int bytesAfterId) {
        int next = lastIpId + 1 & 0xffff;
        lastIpId = (computedWithIdZero ^ ipIds.difference(next, bytesAfterId)) == received
            ? next
            : ipIds.solve(computedWithIdZero, received, bytesAfterId);
        return lastIpId >= 0;
    }
}
