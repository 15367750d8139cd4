// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.nio.ByteBuffer;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.rxe.qp.InboundPacket;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.rxe.qp.RxeCounter;
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
    private int lastIpId;

    /** @param port UDP port that packets of RoCE v2 must be addressed to */
    PacketVerifier(int port) {
        this.port = port;
    }

    /** Whether all headers can be read. An unknown opcode passes: it is a queue pair's to refuse. */
    RxeCounter checkHeaders(ReceivedFrame frame) {
        if (!frame.isRoceV1() && frame.destPort() != port) {
            return RxeCounter.DROP_BAD_PORT;
        }
        if (frame.length() > LARGEST_PAYLOAD + LARGEST_HEADERS) {
            return RxeCounter.DROP_BAD_LENGTH;
        }
        return switch (PacketCheck.verdict(frame.buffer(), frame.offset(), frame.length())) {
            case PacketCheck.OK, PacketCheck.UNKNOWN_OPCODE -> null;
            case PacketCheck.TOO_SHORT -> RxeCounter.DROP_TOO_SHORT;
            case PacketCheck.BAD_TRANSPORT_VERSION -> RxeCounter.DROP_BAD_VERSION;
            default -> RxeCounter.DROP_BAD_LENGTH;
        };
    }

    RxeCounter checkPartitionAndIcrc(InboundPacket packet) {
        if (!isOurPartition(packet.pkey())) {
            return RxeCounter.DROP_BAD_PKEY;
        }
        return packet.frame().isWithoutIcrc() || isIntact(packet.frame()) ? null : RxeCounter.DROP_BAD_ICRC;
    }

    /** Whether the P_Key is the default partition's; the peer may be a limited member because we are a full one. IBA vol 1 §10.9.3 */
    private static boolean isOurPartition(int pkey) {
        return (pkey & 0x7fff) == (QpMachine.PKEY & 0x7fff);
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
