// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.nio.ByteBuffer;
import org.softrdma.device.queue.SendRing;
import org.softrdma.link.Path;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;

/** Sends the datagrams of a UD queue pair, one packet each. Source: IBA vol 1 §9.8.3. */
final class UdRequester extends UnreliableRequester {
    private final int portMtu;

    UdRequester(QpMachine qp, SendRing ring, int portMtu) {
        super(qp, ring);
        this.portMtu = portMtu;
    }

    @Override
    long begun() {
        return ring.head();
    }

    @Override
    boolean send(long wqe, PacketWriter out) {
        if (ring.length(wqe) > portMtu) {
            return fail(Failure.of(Reason.DATAGRAM_TOO_LONG, ring.length(wqe), portMtu));
        }
        int payload = (int) ring.length(wqe);
        boolean immediate = ring.opcode(wqe) == WrOpcode.SEND_WITH_IMM.value();
        int opcode = immediate ? Opcode.UD_SEND_ONLY_WITH_IMMEDIATE : Opcode.UD_SEND_ONLY;
        int pad = -payload & 3;
        Path path = (Path) ring.destination(wqe);
        int at = out.begin(path);
        int payloadAt = at + Opcode.headerLength(opcode);
        if (!data.isReadable(wqe) || !data.put(wqe, 0, payload, out, payloadAt)) {
            return fail(qp.data().explain(ring, wqe, 0));
        }
        ByteBuffer buffer = out.buffer();
        Bth.put(buffer, at, opcode, (ring.flags(wqe) & SendFlags.SOLICITED) != 0, pad, qp.pkey(), ring.remoteQpn(wqe), false,
            nextPsn());
        Deth.put(buffer, at + Opcode.dethOffset(opcode), qkeyFor(wqe), qp.qpn());
        if (immediate) {
            ImmDt.put(buffer, at + Opcode.immediateOffset(opcode), ring.immediate(wqe));
        }
        out.finish(path, at, payloadAt + payload + pad);
        PacketEvents.sentDatagram(qp.observer(), out, at, payloadAt - at + payload + pad + Icrc.LENGTH, ring.wrId(wqe), path,
            ring.remoteQpn(wqe));
        advancePsn();
        completions.completeHead();
        return true;
    }

    /**
     * The Q_Key to send: a controlled one, with its highest bit set, in a work request stands for the queue pair's own. IBA vol 1 §10.2.5;
     * kernel rxe 6.1 always sends the work request's.
     */
    private int qkeyFor(long wqe) {
        int qkey = ring.remoteQkey(wqe);
        return qkey < 0 ? qp.attributes().qkey() : qkey;
    }
}
