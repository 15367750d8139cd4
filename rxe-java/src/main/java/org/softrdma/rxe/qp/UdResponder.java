// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.nio.ByteBuffer;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.PacketCheck;

/**
 * Takes datagrams: the Q_Key must be right, a receive must be posted, and it must have room for the {@link GrhArea} and the payload.
 * What does not get that far is dropped in silence, and takes no receive: strangers must not be able to use them up, or to stop the
 * queue pair. Source: IBA vol 1 §9.8.3, §10.2.5.
 */
final class UdResponder {
    private final UdMachine qp;
    private final ReceiveSource receives;
    private final GrhArea grh = new GrhArea();

    UdResponder(UdMachine qp) {
        this.qp = qp;
        receives = qp.landing().receives();
    }

    /** A packet passed the edge's checks. */
    void onRequest(ReceivedFrame frame) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        int opcode = Bth.opcode(buffer, at);
        int payload = Opcode.isKnown(opcode) ? PacketCheck.payloadLength(buffer, at, frame.length()) : 0;
        RxeCounter refusal = check(buffer, at, opcode, payload);
        if (refusal != null) {
            qp.counters().count(refusal);
            return;
        }
        grh.fill(frame);
        if (!receives.scatter(0, GrhArea.BYTES, grh.memory(), 0)
            || !receives.scatter(GrhArea.BYTES, payload, frame.memory(), at + Opcode.headerLength(opcode))) {
            qp.failReceive(WcStatus.LOC_PROT_ERR);
            return;
        }
        boolean immediate = Opcode.has(opcode, Opcode.IMMEDIATE);
        qp.receiveCompletions().complete(WcOpcode.RECV, GrhArea.BYTES + payload,
            immediate ? ImmDt.immediate(buffer, at + Opcode.immediateOffset(opcode)) : 0,
            Deth.sourceQp(buffer, at + Opcode.dethOffset(opcode)),
            immediate ? WcFlags.GRH | WcFlags.WITH_IMM : WcFlags.GRH, Bth.solicitedEvent(buffer, at));
    }

    /** @return why the packet is dropped, or null: there is a current receive, and it has room */
    private RxeCounter check(ByteBuffer buffer, int at, int opcode, int payload) {
        if (Opcode.transport(opcode) != Opcode.TRANSPORT_UD) {
            return RxeCounter.DROP_WRONG_SERVICE;
        }
        if (Deth.qkey(buffer, at + Opcode.dethOffset(opcode)) != qp.attributes().qkey()) {
            return RxeCounter.DROP_BAD_QKEY;
        }
        if (Bth.padCount(buffer, at) != (-payload & 3)) {
            return RxeCounter.DROP_BAD_REQUEST;
        }
        if (!receives.take()) {
            return RxeCounter.DROP_NO_RECEIVE;
        }
        return receives.length() < GrhArea.BYTES + payload ? RxeCounter.DROP_RECEIVE_TOO_SMALL : null;
    }
}
