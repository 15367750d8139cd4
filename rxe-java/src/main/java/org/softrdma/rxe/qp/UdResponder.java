// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;

/**
 * Receives datagrams: the Q_Key must be right, a receive must be posted, and it must have room for the {@link GrhArea} and the payload.
 * Other datagrams are dropped silently and consume no receive: unknown senders must not be able to use up receives or to stop the queue
 * pair. Source: IBA vol 1 §9.8.3, §10.2.5.
 */
final class UdResponder {
    private static final int V2_OVER_IPV6 = 9;
    private static final int V2_OVER_IPV4 = 10;

    private final UdMachine qp;
    private final ReceiveSource receives;
    private final GrhArea grh = new GrhArea();

    UdResponder(UdMachine qp) {
        this.qp = qp;
        receives = qp.requestContext().receives();
    }

    /** Handles a packet that passed the edge's checks. */
    void onRequest(InboundPacket packet) {
        RxeCounter refusal = check(packet);
        if (refusal != null) {
            qp.counters().count(refusal);
            return;
        }
        int payload = packet.payloadBytes();
        grh.fill(packet.frame());
        if (!receives.scatter(0, GrhArea.BYTES, grh.memory(), 0)
            || !receives.scatter(GrhArea.BYTES, payload, packet.memory(), packet.payloadAt())) {
            qp.failReceive(WcStatus.LOC_PROT_ERR);
            return;
        }
        boolean immediate = packet.has(Opcode.IMMEDIATE);
        int flags = WcFlags.GRH | packetType(packet.frame()) << CompletionSink.SL_SHIFT;
        qp.receiveCompletions().complete(WcOpcode.RECV, GrhArea.BYTES + payload,
            immediate ? ImmDt.immediate(packet.buffer(), packet.immDtAt()) : 0,
            Deth.sourceQp(packet.buffer(), packet.dethAt()),
            immediate ? flags | WcFlags.WITH_IMM : flags, packet.solicitedEvent());
    }

    /** Returns the type of a packet as {@link CompletionSink#SL_SHIFT} describes it. */
    private static int packetType(ReceivedFrame frame) {
        return frame.isRoceV1() ? 0 : frame.isIpv4() ? V2_OVER_IPV4 : V2_OVER_IPV6;
    }

    /** @return why the packet is dropped, or null: there is a current receive, and it has room */
    private RxeCounter check(InboundPacket packet) {
        if (packet.transport() != Opcode.TRANSPORT_UD) {
            return RxeCounter.DROP_WRONG_SERVICE;
        }
        if (Deth.qkey(packet.buffer(), packet.dethAt()) != qp.attributes().qkey()) {
            return RxeCounter.DROP_BAD_QKEY;
        }
        if (!packet.isPaddedRight()) {
            return RxeCounter.DROP_BAD_REQUEST;
        }
        if (!receives.take()) {
            return RxeCounter.DROP_NO_RECEIVE;
        }
        return receives.length() < GrhArea.BYTES + packet.payloadBytes() ? RxeCounter.DROP_RECEIVE_TOO_SMALL : null;
    }
}
