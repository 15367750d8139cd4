// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;

/** Management datagrams as packets between queue pairs 1, for processes that send and receive packets. */
final class ManagementFrames {
    private static final int HEADERS = Opcode.headerLength(Opcode.UD_SEND_ONLY);

    private final Icrc icrc = new Icrc();
    private final ByteBuffer frame = ByteBuffer.allocateDirect(Crossing.MANAGEMENT_BYTES);
    private int nextPsn;

    private static int bthAt(ByteBuffer packet, int at) {
        return at + Lrh.LENGTH + (Lrh.nextHeader(packet, at) == Lrh.NEXT_GRH ? Grh.LENGTH : 0);
    }

    /** Destination queue pair of a packet whose headers are complete, u24. */
    int destQpn(ByteBuffer packet, int at) {
        return Bth.destQp(packet, bthAt(packet, at));
    }

    /**
     * Reads a packet to queue pair 1.
     *
     * @return null if it is damaged, or no datagram with the Q_Key of queue pairs 1
     */
    ManagementPacket read(ByteBuffer packet, int at, int length) {
        int bthAt = bthAt(packet, at);
        int end = at + length - Icrc.LENGTH;
        if (Bth.opcode(packet, bthAt) != Opcode.UD_SEND_ONLY || end - bthAt != HEADERS + Mad.LENGTH
            || Bth.destQp(packet, bthAt) != Mad.GSI_QPN) {
            return null;
        }
        int dethAt = bthAt + Opcode.dethOffset(Opcode.UD_SEND_ONLY);
        int computed = bthAt == at + Lrh.LENGTH ? icrc.ofLrhFrame(packet, at, bthAt, end) : icrc.ofGrhFrame(packet, bthAt - Grh.LENGTH,
            bthAt, end);
        if (Deth.qkey(packet, dethAt) != Mad.GSI_QKEY || computed != Icrc.get(packet, end)) {
            return null;
        }
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        mad.put(0, packet, bthAt + HEADERS, Mad.LENGTH);
        return new ManagementPacket(Lrh.slid(packet, at), Lrh.dlid(packet, at), Deth.sourceQp(packet, dethAt), Mad.GSI_QPN,
            Bth.pkey(packet, bthAt), Lrh.sl(packet, at), mad);
    }

    /** Writes a datagram as a packet without GRH. The buffer is used again by the next one. */
    ByteBuffer write(ManagementPacket packet) {
        Lrh.put(frame, 0, 0, packet.sl(), Lrh.NEXT_BTH, packet.dlid(), Crossing.MANAGEMENT_BYTES, packet.slid());
        int bthAt = Lrh.LENGTH;
        Bth.put(frame, bthAt, Opcode.UD_SEND_ONLY, false, 0, packet.pkey(), packet.destQpn(), false, nextPsn);
        nextPsn = Psn.next(nextPsn);
        Deth.put(frame, bthAt + Opcode.dethOffset(Opcode.UD_SEND_ONLY), Mad.GSI_QKEY, packet.sourceQpn());
        frame.put(bthAt + HEADERS, packet.mad(), 0, Mad.LENGTH);
        int end = bthAt + HEADERS + Mad.LENGTH;
        Icrc.put(frame, end, icrc.ofLrhFrame(frame, 0, bthAt, end));
        return frame;
    }
}
