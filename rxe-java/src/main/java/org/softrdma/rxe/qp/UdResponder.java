// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
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
        if (!accepts(packet)) {
            return;
        }
        int payload = packet.payloadBytes();
        grh.fill(packet.frame());
        if (!receives.scatter(0, GrhArea.BYTES, grh.memory(), 0)
            || !receives.scatter(GrhArea.BYTES, payload, packet.memory(), packet.payloadAt())) {
            qp.failReceive(receives.explain());
            return;
        }
        boolean immediate = packet.has(Opcode.IMMEDIATE);
        int flags = flags(packet.frame());
        qp.receiveCompletions().complete(WcOpcode.RECV, GrhArea.BYTES + payload,
            immediate ? ImmDt.immediate(packet.buffer(), packet.immDtAt()) : 0,
            Deth.sourceQp(packet.buffer(), packet.dethAt()),
            immediate ? flags | WcFlags.WITH_IMM : flags, packet.solicitedEvent());
    }

    /** Returns the flags of a completion: a local route on an InfiniBand subnet, otherwise the type of the packet. */
    private static int flags(ReceivedFrame frame) {
        if (!frame.isOnSubnet()) {
            return WcFlags.GRH | packetType(frame) << CompletionSink.SL_SHIFT;
        }
        return (frame.isWithinSubnet() ? 0 : WcFlags.GRH) | frame.serviceLevel() << CompletionSink.SL_SHIFT
            | frame.pathBits() << CompletionSink.PATH_BITS_SHIFT | frame.slid() << CompletionSink.SLID_SHIFT;
    }

    /** Returns the type of a packet as {@link CompletionSink#SL_SHIFT} describes it. */
    private static int packetType(ReceivedFrame frame) {
        return frame.isRoceV1() ? 0 : frame.isIpv4() ? V2_OVER_IPV4 : V2_OVER_IPV6;
    }

    /** @return false if the packet was dropped; true: there is a current receive, and it has room */
    private boolean accepts(InboundPacket packet) {
        if (packet.transport() != Opcode.TRANSPORT_UD) {
            return drop(RxeCounter.DROP_WRONG_SERVICE, packet.opcode(), 0);
        }
        int qkey = Deth.qkey(packet.buffer(), packet.dethAt());
        if (qkey != qp.attributes().qkey()) {
            return drop(RxeCounter.DROP_BAD_QKEY, qkey, qp.attributes().qkey());
        }
        if (!packet.isPaddedRight()) {
            return drop(RxeCounter.DROP_BAD_REQUEST, packet.payloadBytes(), 0);
        }
        if (!receives.take()) {
            return drop(RxeCounter.DROP_NO_RECEIVE, 0, 0);
        }
        int bytes = GrhArea.BYTES + packet.payloadBytes();
        return receives.length() >= bytes || drop(RxeCounter.DROP_RECEIVE_TOO_SMALL, bytes, receives.length());
    }

    private boolean drop(RxeCounter why, long value1, long value2) {
        qp.drop(why, value1, value2);
        return false;
    }
}
