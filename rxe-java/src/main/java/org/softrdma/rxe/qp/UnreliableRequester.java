// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.wire.roce.Psn;

/**
 * Sends without acknowledgements: a work request is complete when its last packet was handed to the link. One that cannot be sent fails,
 * the others are flushed, and sending stops until the queue pair is brought back to RTS. Source: IBA vol 1 §9.8, §10.3.1.6.
 */
abstract class UnreliableRequester {
    final QpMachine qp;
    final SendRing ring;
    final SendData data;
    final SendCompletions completions;
    private int nextPsn;

    UnreliableRequester(QpMachine qp, SendRing ring) {
        this.qp = qp;
        this.ring = ring;
        data = new SendData(ring, qp.data());
        completions = qp.newSendCompletions();
    }

    /** Starts over with this PSN for the next packet. */
    void reset(int psn) {
        nextPsn = psn;
    }

    /**
     * Sends up to {@code budget} packets.
     *
     * @return number of packets
     */
    final int transmit(PacketWriter out, int budget) {
        int sent = 0;
        while (sent < budget && out.hasRoom() && hasMore() && send(ring.head(), out)) {
            sent++;
        }
        return sent;
    }

    /** Whether a work request is posted that may be sent now. */
    final boolean hasMore() {
        long wqe = ring.head();
        return qp.maySend() && wqe != ring.tail() && qp.mayStart(wqe);
    }

    /**
     * Sends one packet of the oldest work request.
     *
     * @return false if that failed
     */
    abstract boolean send(long wqe, PacketWriter out);

    /** First work request of which no packet was sent. */
    abstract long begun();

    final int nextPsn() {
        return nextPsn;
    }

    /** Counts a sent packet. */
    final void advancePsn() {
        nextPsn = Psn.next(nextPsn);
    }

    /**
     * Fails the oldest work request and flushes the others.
     *
     * @return false, as the result of {@link #send}
     */
    final boolean fail(Failure why) {
        completions.fail(ring.head(), why);
        qp.enterSendQueueError();
        return false;
    }

    final void flush() {
        completions.flush();
        reset(nextPsn);
    }
}
