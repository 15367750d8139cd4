// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.Rmpp;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.mad.Mad;

/**
 * Tables of subnet administration at the edge to ibsim's clients. With hardware, the kernel makes several packets of a long answer and one
 * message of the packets received; ibsim's protocol has neither, only messages of at most one packet with their length beside them. So an
 * answer of a client becomes a transfer of one packet, and of a transfer to a client the first packet is delivered and the others are
 * refused.
 */
final class SinglePacket {
    private SinglePacket() {
    }

    private static boolean isTable(ManagementPacket packet) {
        return packet.managementClass() == SaMad.CLASS && packet.method() == MadMethod.GET_TABLE_RESPONSE;
    }

    /**
     * Makes a transfer of a client's answer, in place.
     *
     * @param bytes of the message, from the MAD's first byte on
     */
    static void fromClient(ManagementPacket packet, int bytes) {
        if (isTable(packet)) {
            Rmpp.put(packet.mad(), 0, Rmpp.TYPE_DATA, Rmpp.FLAG_ACTIVE | Rmpp.FLAG_FIRST | Rmpp.FLAG_LAST, Rmpp.STATUS_NORMAL, 1,
                Math.max(bytes, SaMad.DATA_OFFSET) - Rmpp.HEADER_END);
        }
    }

    /** Whether a packet is for the kernel of a client and not for the client: of a transfer, all but the first packet of data. */
    static boolean isForKernel(ManagementPacket packet) {
        ByteBuffer mad = packet.mad();
        if (packet.managementClass() != SaMad.CLASS || !Rmpp.isActive(mad, 0)) {
            return false;
        }
        int type = Rmpp.TYPE.get(mad, 0);
        return type == Rmpp.TYPE_ACK || type == Rmpp.TYPE_STOP || type == Rmpp.TYPE_ABORT
            || type == Rmpp.TYPE_DATA && Rmpp.SEGMENT.get(mad, 0) != 1;
    }

    /** Bytes of the message that a client receives. */
    static int bytes(ManagementPacket packet) {
        ByteBuffer mad = packet.mad();
        if (!isTable(packet) || Rmpp.TYPE.get(mad, 0) != Rmpp.TYPE_DATA || !Rmpp.has(mad, 0, Rmpp.FLAG_LAST)) {
            return Mad.LENGTH;
        }
        return Math.clamp(Rmpp.HEADER_END + Rmpp.PAYLOAD_LENGTH.getLong(mad, 0), SaMad.DATA_OFFSET, Mad.LENGTH);
    }

    /** Answer to the sender of a transfer: its end with the last packet, and a refusal of all packets but the first. */
    static Optional<ManagementPacket> reply(ManagementPacket packet) {
        ByteBuffer mad = packet.mad();
        if (!isTable(packet) || !Rmpp.isActive(mad, 0) || Rmpp.TYPE.get(mad, 0) != Rmpp.TYPE_DATA) {
            return Optional.empty();
        }
        ByteBuffer answer = ManagementPacket.copyOf(mad);
        answer.put(Mad.METHOD_OFFSET, (byte) (packet.method() ^ MadMethod.RESPONSE));
        int segment = Rmpp.SEGMENT.get(mad, 0);
        if (Rmpp.has(mad, 0, Rmpp.FLAG_LAST)) {
            Rmpp.put(answer, 0, Rmpp.TYPE_ACK, Rmpp.FLAG_ACTIVE, Rmpp.STATUS_NORMAL, segment, segment);
        } else {
            Rmpp.put(answer, 0, Rmpp.TYPE_STOP, Rmpp.FLAG_ACTIVE, Rmpp.STATUS_RESOURCES_EXHAUSTED, 0, 0);
        }
        return Optional.of(packet.reply(answer));
    }
}
