// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.nio.ByteBuffer;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.PacketCheck;
import org.softrdma.wire.roce.Psn;

/**
 * Executes the SENDs and RDMA WRITEs of an unreliable connection: each message whole, or not at all as far as completions tell. A packet
 * that is missing, or breaks a rule, ends its message in silence; the rest of it is dropped, its receive waits for the next message, and
 * the next First or Only begins anew, whatever its PSN. (A WRITE may have changed memory before it ended.) {@link #onRequest} is the
 * ladder: sequence, operation, length, resources, place, complete. Source: IBA vol 1 §9.8.2.
 */
final class UcResponder {
    private final UcMachine qp;
    private final InboundMessage message;
    private int expectedPsn;

    UcResponder(UcMachine qp) {
        this.qp = qp;
        message = new InboundMessage(qp);
    }

    /** The queue pair goes to RTR. */
    void start(int psn) {
        expectedPsn = psn;
        message.end();
    }

    int expectedPsn() {
        return expectedPsn;
    }

    /** A packet passed the edge's checks. */
    void onRequest(ReceivedFrame frame) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        int opcode = Bth.opcode(buffer, at);
        int psn = Bth.psn(buffer, at);
        if (Opcode.transport(opcode) != Opcode.TRANSPORT_UC) {
            qp.counters().count(RxeCounter.DROP_WRONG_SERVICE);
            return;
        }
        qp.onPeerSeen();
        if (!isInSequence(opcode, psn)) {
            return;
        }
        expectedPsn = Psn.next(psn);
        int payload = PacketCheck.payloadLength(buffer, at, frame.length());
        if (Opcode.has(opcode, Opcode.WRITE) && (qp.attributes().accessFlags() & AccessFlags.REMOTE_WRITE) == 0) {
            drop(RxeCounter.DROP_ACCESS);
        } else if (!message.checkLength(buffer, at, opcode, payload)) {
            drop(RxeCounter.DROP_BAD_REQUEST);
        } else if (InboundMessage.needsReceive(opcode) && !qp.landing().receives().take()) {
            drop(RxeCounter.DROP_NO_RECEIVE);
        } else if (Opcode.has(opcode, Opcode.SEND)) {
            executeSend(frame, opcode, payload);
        } else {
            executeWrite(frame, opcode, payload);
        }
    }

    /**
     * A First or Only always begins a message, and ends one that was not complete. Any other packet must be the next one of the message
     * that is open; after a gap none is, until the next First or Only.
     */
    private boolean isInSequence(int opcode, int psn) {
        if (Opcode.has(opcode, Opcode.START)) {
            if (psn != expectedPsn) {
                qp.counters().count(RxeCounter.OUT_OF_SEQ_REQUEST);
            }
            giveUp();
            return true;
        }
        if (psn == expectedPsn && message.continuesWith(opcode)) {
            return true;
        }
        drop(RxeCounter.DROP_OUT_OF_SEQUENCE);
        return false;
    }

    private void executeSend(ReceivedFrame frame, int opcode, int payload) {
        WcStatus placed = message.placeSend(frame, opcode, payload);
        if (placed != WcStatus.SUCCESS) {
            giveUp();
            qp.failReceive(placed);
        } else if (Opcode.has(opcode, Opcode.END)) {
            complete(frame, opcode, WcOpcode.RECV);
        }
    }

    private void executeWrite(ReceivedFrame frame, int opcode, int payload) {
        if (!message.placeWrite(frame, opcode, payload)) {
            drop(RxeCounter.DROP_ACCESS);
        } else if (Opcode.has(opcode, Opcode.END | Opcode.IMMEDIATE)) {
            complete(frame, opcode, WcOpcode.RECV_RDMA_WITH_IMM);
        } else if (Opcode.has(opcode, Opcode.END)) {
            message.end();
        }
    }

    private void complete(ReceivedFrame frame, int opcode, WcOpcode what) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        boolean immediate = Opcode.has(opcode, Opcode.IMMEDIATE);
        message.end();
        qp.receiveCompletions().complete(what, message.bytes(),
            immediate ? ImmDt.immediate(buffer, at + Opcode.immediateOffset(opcode)) : 0, 0,
            immediate ? WcFlags.GRH | WcFlags.WITH_IMM : WcFlags.GRH, Bth.solicitedEvent(buffer, at));
    }

    private void drop(RxeCounter reason) {
        qp.counters().count(reason);
        giveUp();
    }

    private void giveUp() {
        if (message.isOpen()) {
            qp.counters().count(RxeCounter.LOST_MESSAGES);
            message.end();
        }
    }
}
