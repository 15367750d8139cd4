// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.LocalOperations;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.Opcode;

/** Sends the SENDs and RDMA WRITEs of a UC queue pair, packet by packet, at the speed of the link. */
final class UcRequester extends UnreliableRequester {
    private final MessageWriter messages;
    private final LocalOperations localOperations;
    /** Index of the packet to send next, in the message at the head. */
    private int packet;

    UcRequester(QpMachine qp, SendRing ring) {
        super(qp, ring);
        messages = new MessageWriter(qp, Opcode.TRANSPORT_UC, ring, data);
        localOperations = new LocalOperations(ring, qp.memory(), qp.pd(), qp.qpn());
    }

    @Override
    void reset(int psn) {
        super.reset(psn);
        packet = 0;
    }

    @Override
    long begun() {
        return packet == 0 ? ring.head() : ring.head() + 1;
    }

    @Override
    boolean send(long wqe, PacketWriter out) {
        if (packet == 0) {
            Failure why = start(wqe);
            if (why != null) {
                return fail(why);
            }
        }
        if (LocalOperations.isLocal(ring.opcode(wqe))) {
            completions.completeHead();
            return true;
        }
        boolean last = packet == messages.packetsOf(ring.length(wqe)) - 1;
        int at = out.begin(qp.path());
        int length = messages.put(out, at, wqe, packet, last, false, nextPsn(), false);
        if (length == MessageWriter.UNREADABLE) {
            return fail(qp.data().explain(ring, wqe, 0));
        }
        qp.finish(out, at, at + length, ring.wrId(wqe), PacketEvents.place(packet, messages.packetsOf(ring.length(wqe))), false);
        advancePsn();
        packet = last ? 0 : packet + 1;
        if (last) {
            completions.completeHead();
        }
        return true;
    }

    /**
     * Executes a local operation, which needs no packet; checks any other work request.
     *
     * @return null, or why it fails
     */
    private Failure start(long wqe) {
        if (LocalOperations.isLocal(ring.opcode(wqe))) {
            return localOperations.run(wqe);
        }
        if (ring.length(wqe) > MessageWriter.MAX_MESSAGE_BYTES) {
            return Failure.of(Reason.MESSAGE_TOO_LONG, ring.length(wqe), MessageWriter.MAX_MESSAGE_BYTES);
        }
        return data.isReadable(wqe) ? null : qp.data().explain(ring, wqe, 0);
    }
}
