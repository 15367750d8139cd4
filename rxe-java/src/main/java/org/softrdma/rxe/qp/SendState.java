// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.wire.roce.Psn;

/**
 * Position of the send queue, in work requests and in PSNs: shared by {@link Requester}, {@link Completer}, {@link SendWindow} and
 * {@link LossRecovery}.
 *
 * <pre>
 *   work requests   head ≤ cursor ≤ started ≤ tail     head: oldest incomplete, cursor: to transmit next,
 *                                                      started: first without PSNs
 *   PSNs            unacked ≤ cursorPsn ≤ sentEnd ≤ nextPsn
 * </pre>
 *
 * unacked always lies in the request at head, or is nextPsn when nothing is outstanding.
 */
final class SendState {
    final SendRing ring;

    /** Work request to transmit from next, and the index of its packet. */
    long cursor;
    int cursorPacket;
    /** First work request that has no PSNs yet. */
    long started;
    /** PSN of the next message to start. */
    int nextPsn;
    /** Oldest PSN not acknowledged. */
    int unacked;
    /** PSN after the highest one ever transmitted (for READs: requested). */
    int sentEnd;
    /** READs, atomics and other {@link #isAnswered} requests transmitted before the cursor and not complete. */
    int readsInFlight;

    SendState(SendRing ring) {
        this.ring = ring;
    }

    void reset(int psn) {
        cursor = ring.head();
        started = cursor;
        cursorPacket = 0;
        nextPsn = psn;
        unacked = psn;
        sentEnd = psn;
        readsInFlight = 0;
    }

    /**
     * Takes a PSN for a request that is not in the send queue, in which nothing is outstanding.
     *
     * @return the PSN
     */
    int takePsn() {
        int psn = nextPsn;
        nextPsn = Psn.next(psn);
        unacked = nextPsn;
        sentEnd = nextPsn;
        return psn;
    }

    boolean hasOutstanding() {
        return unacked != sentEnd;
    }

    int firstPsn(long sequence) {
        return ring.firstPsn(sequence);
    }

    int lastPsn(long sequence) {
        return Psn.add(ring.firstPsn(sequence), ring.packets(sequence) - 1);
    }

    /** PSN of the packet at the cursor. */
    int cursorPsn() {
        return cursor < started ? Psn.add(ring.firstPsn(cursor), cursorPacket) : nextPsn;
    }

    int packetsInFlight() {
        return Psn.distance(unacked, cursorPsn());
    }

    /**
     * Moves the cursor past a packet that was sent.
     *
     * @param psns number of PSNs that it consumes
     */
    void advance(int psns) {
        cursorPacket += psns;
        int end = cursorPsn();
        if (cursorPacket == ring.packets(cursor)) {
            end = Psn.add(ring.firstPsn(cursor), cursorPacket);
            cursor++;
            cursorPacket = 0;
        }
        if (Psn.compare(end, sentEnd) > 0) {
            sentEnd = end;
        }
    }

    /** Go-back-N: transmit again from the oldest unacknowledged PSN. */
    void goBack() {
        cursor = ring.head();
        cursorPacket = cursor < started ? Psn.distance(ring.firstPsn(cursor), unacked) : 0;
        readsInFlight = 0;
    }

    static boolean isRead(int opcode) {
        return opcode == WrOpcode.RDMA_READ.value();
    }

    /** Whether it is a WRITE of which the peer's application sees nothing but the data. */
    static boolean isPlainWrite(int opcode) {
        return opcode == WrOpcode.RDMA_WRITE.value();
    }

    static boolean isAtomic(int opcode) {
        return opcode == WrOpcode.ATOMIC_CMP_AND_SWP.value() || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD.value();
    }

    /** Whether an empty READ response confirms the execution: FLUSH and ATOMIC WRITE. */
    static boolean isConfirmed(int opcode) {
        return opcode == WrOpcode.FLUSH.value() || opcode == WrOpcode.ATOMIC_WRITE.value();
    }

    /** Whether a response of its own answers the request, not just an acknowledgement; it takes one of the peer's responder resources. */
    static boolean isAnswered(int opcode) {
        return isRead(opcode) || isAtomic(opcode) || isConfirmed(opcode);
    }
}
