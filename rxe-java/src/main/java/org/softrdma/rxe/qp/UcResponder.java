// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;

/**
 * Executes the SENDs and RDMA WRITEs of an unreliable connection. A message completes whole or not at all: a packet that is missing, or
 * invalid, ends its message silently; the rest of it is dropped, its receive is kept for the next message, and the next First or Only
 * begins anew, whatever its PSN. (A WRITE may have changed memory before it ended.) {@link #onRequest} is the ladder: operation, sequence,
 * rights, length, receive, execute, complete. Source: IBA vol 1 §9.8.2.
 */
final class UcResponder {
    private final UcMachine qp;
    private final InboundMessage message;
    private int expectedPsn;

    UcResponder(UcMachine qp) {
        this.qp = qp;
        message = new InboundMessage(qp);
    }

    /** Starts over at the transition to RTR. */
    void start(int psn) {
        expectedPsn = psn;
        message.end();
    }

    int expectedPsn() {
        return expectedPsn;
    }

    /** Handles a packet that passed the edge's checks. */
    void onRequest(InboundPacket packet) {
        if (packet.transport() != Opcode.TRANSPORT_UC) {
            qp.drop(RxeCounter.DROP_WRONG_SERVICE, packet.opcode(), 0);
            return;
        }
        qp.onPeerSeen();
        if (!isInSequence(packet)) {
            return;
        }
        expectedPsn = Psn.next(packet.psn());
        if (packet.has(Opcode.WRITE) && (qp.attributes().accessFlags() & AccessFlags.REMOTE_WRITE) == 0) {
            drop(RxeCounter.DROP_ACCESS, 0);
        } else if (!message.checkLength(packet)) {
            drop(RxeCounter.DROP_BAD_REQUEST, packet.payloadBytes());
        } else if (InboundMessage.needsReceive(packet) && !qp.requestContext().receives().take()) {
            drop(RxeCounter.DROP_NO_RECEIVE, 0);
        } else if (packet.has(Opcode.SEND)) {
            executeSend(packet);
        } else {
            executeWrite(packet);
        }
    }

    /**
     * Checks the packet's place in the message. A First or Only always begins a message, and ends one that was not complete. Any other
     * packet must be the next one of the message that is open; after a gap none is open until the next First or Only.
     */
    private boolean isInSequence(InboundPacket packet) {
        if (packet.has(Opcode.START)) {
            if (packet.psn() != expectedPsn) {
                qp.counters().count(RxeCounter.OUT_OF_SEQ_REQUEST);
            }
            giveUp();
            return true;
        }
        if (packet.psn() == expectedPsn && message.continuesWith(packet)) {
            return true;
        }
        drop(RxeCounter.DROP_OUT_OF_SEQUENCE, packet.psn());
        return false;
    }

    private void executeSend(InboundPacket packet) {
        Failure why = message.placeSend(packet);
        if (why != null) {
            giveUp();
            qp.failReceive(why);
        } else if (packet.has(Opcode.END)) {
            complete(packet, WcOpcode.RECV);
        }
    }

    private void executeWrite(InboundPacket packet) {
        if (!message.placeWrite(packet)) {
            drop(RxeCounter.DROP_ACCESS, 0);
        } else if (packet.has(Opcode.END | Opcode.IMMEDIATE)) {
            complete(packet, WcOpcode.RECV_RDMA_WITH_IMM);
        } else if (packet.has(Opcode.END)) {
            message.end();
        }
    }

    private void complete(InboundPacket packet, WcOpcode what) {
        boolean immediate = packet.has(Opcode.IMMEDIATE);
        message.end();
        qp.receiveCompletions().complete(what, message.bytes(),
            immediate ? ImmDt.immediate(packet.buffer(), packet.immDtAt()) : 0, 0,
            immediate ? WcFlags.GRH | WcFlags.WITH_IMM : WcFlags.GRH, packet.solicitedEvent());
    }

    private void drop(RxeCounter reason, long value) {
        qp.drop(reason, value, 0);
        giveUp();
    }

    private void giveUp() {
        if (message.isOpen()) {
            qp.counters().count(RxeCounter.LOST_MESSAGES);
            message.end();
        }
    }
}
