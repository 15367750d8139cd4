// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.nio.ByteBuffer;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.Xrceth;

/** Cuts SENDs and RDMA WRITEs into packets, for every connected service. Source: IBA vol 1 §9.2, §9.7.2. */
final class MessageWriter {
    /** Longest message, bytes (IBA vol 1 §9.7.2). */
    static final long MAX_MESSAGE_BYTES = 1L << 31;
    /** Result of {@link #put} if the data could not be read. */
    static final int UNREADABLE = -1;

    private final QpMachine qp;
    private final int transport;
    private final SendRing ring;
    private final SendData data;

    /** @param transport the service's bits of the opcode: one of {@link Opcode}'s TRANSPORT constants */
    MessageWriter(QpMachine qp, int transport, SendRing ring, SendData data) {
        this.qp = qp;
        this.transport = transport;
        this.ring = ring;
        this.data = data;
    }

    /** Number of packets, and so of PSNs, that {@code bytes} take; a message without bytes takes one. */
    int packetsOf(long bytes) {
        return bytes == 0 ? 1 : (int) ((bytes + qp.mtu() - 1) / qp.mtu());
    }

    /**
     * Writes one packet of a message, without ICRC.
     *
     * @param at     where its BTH goes
     * @param packet index in the message, from 0
     * @param last   whether it is the last one of the message
     * @param alone  whether it is a request of its own: of an RDMA WRITE only
     * @return bytes up to the end of the pad, or {@link #UNREADABLE}
     */
    int put(PacketWriter out, int at, long wqe, int packet, boolean last, boolean alone, int psn, boolean ackRequest) {
        int mtu = qp.mtu();
        long offset = (long) packet * mtu;
        int payload = last ? (int) (ring.length(wqe) - offset) : mtu;
        int wrOpcode = ring.opcode(wqe);
        int opcode = transport | RequestOpcodes.of(wrOpcode, alone || packet == 0, alone || last);
        int pad = -payload & 3;
        int payloadAt = at + Opcode.headerLength(opcode);
        if (!data.put(wqe, offset, payload, out, payloadAt)) {
            return UNREADABLE;
        }
        ByteBuffer buffer = out.buffer();
        boolean solicited = last && (ring.flags(wqe) & SendFlags.SOLICITED) != 0 && wrOpcode != WrOpcode.RDMA_WRITE.value();
        Bth.put(buffer, at, opcode, solicited, pad, qp.pkey(), qp.attributes().destQpn(), ackRequest, psn);
        if (Opcode.has(opcode, Opcode.XRCETH)) {
            Xrceth.put(buffer, at + Opcode.xrcethOffset(opcode), ring.remoteSrqn(wqe));
        }
        if (Opcode.has(opcode, Opcode.RETH)) {
            Reth.put(buffer, at + Opcode.rethOffset(opcode), ring.remoteAddress(wqe) + offset, ring.rkey(wqe),
                alone ? payload : ring.length(wqe));
        }
        if (Opcode.hasAny(opcode, Opcode.IMMEDIATE | Opcode.INVALIDATE)) {
            ImmDt.put(buffer, payloadAt - ImmDt.LENGTH, ring.immediate(wqe));
        }
        return payloadAt - at + payload + pad;
    }
}
