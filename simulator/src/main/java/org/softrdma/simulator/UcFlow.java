// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.nio.ByteBuffer;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Reth;

/**
 * One direction of an unreliable connection as the wire shows it: what its requester may send next, and which messages reached the other
 * side whole, so that its responder may complete them. Source: IBA vol 1 §9.8.2.
 */
final class UcFlow {
    /** Kind of no message. */
    private static final int NONE = 0;

    private final int mtu;
    private final boolean mayBreakOff;
    private final Arrivals arrivals;
    private long packets;
    private int nextPsn;
    /** The message that is being sent: {@link Opcode#SEND}, {@link Opcode#WRITE} or {@link #NONE}; and bytes of a WRITE that are left. */
    private int sending = NONE;
    private long left;
    /** The queue pair sends nothing any more; or nothing for now, its send queue being drained. */
    private boolean gone;
    private boolean drained;

    /** The message that is arriving, and the packet it needs next. */
    private int arriving = NONE;
    private int awaitedPsn;
    private int stamp;
    private long va;
    private int rkey;

    /**
     * @param mayBreakOff whether memory it sends from may go away, which ends a message in its middle
     * @param arrivals    of the other side
     */
    UcFlow(int firstPsn, int mtu, boolean mayBreakOff, Arrivals arrivals) {
        this.mtu = mtu;
        this.mayBreakOff = mayBreakOff;
        this.arrivals = arrivals;
        nextPsn = firstPsn;
    }

    /** Sent so far. */
    long packets() {
        return packets;
    }

    void expectSilence() {
        gone = true;
    }

    void expectDrained(boolean now) {
        drained = now;
    }

    /** Whether a message was sent in part that must be sent whole. */
    boolean isMidMessage() {
        return sending != NONE && !mayBreakOff;
    }

    /**
     * A packet was sent.
     *
     * @return what is wrong, or null
     */
    String check(ByteBuffer packet, int offset, int opcode, int payload) {
        packets++;
        if (gone || drained) {
            return gone ? "a request of a queue pair that is gone" : "a request while the send queue is drained";
        }
        int psn = Bth.psn(packet, offset);
        if (psn != nextPsn) {
            return "PSN is not the next one, 0x" + Integer.toHexString(nextPsn);
        }
        nextPsn = Psn.next(psn);
        boolean start = Opcode.has(opcode, Opcode.START);
        boolean end = Opcode.has(opcode, Opcode.END);
        int kind = kindOf(opcode);
        if (start ? sending != NONE && !mayBreakOff : kind != sending) {
            return "messages are mixed";
        }
        sending = end ? NONE : kind;
        if (Bth.ackRequest(packet, offset)) {
            return "asks for an acknowledgement, which UC has not";
        }
        if (Bth.solicitedEvent(packet, offset) && !(end && Opcode.hasAny(opcode, Opcode.SEND | Opcode.IMMEDIATE))) {
            return "solicited event in the wrong place";
        }
        if (end ? payload > mtu || payload == 0 && !start : payload != mtu) {
            return "payload " + payload + " at MTU " + mtu;
        }
        if (kind == Opcode.SEND) {
            return null;
        }
        left = (start ? Reth.length(packet, offset + Opcode.rethOffset(opcode)) : left) - payload;
        return end ? left == 0 ? null : "WRITE ends with " + left + " bytes left" : left > 0 ? null : "WRITE goes on past its length";
    }

    /** An intact packet arrived. A First or Only begins a message wherever it comes; any other must be the next of the one that is open. */
    void onArrival(ByteBuffer packet, int offset, int opcode, int payload) {
        int psn = Bth.psn(packet, offset);
        if (Opcode.has(opcode, Opcode.START)) {
            arriving = kindOf(opcode);
            int at = offset + Opcode.headerLength(opcode);
            stamp = payload >= Integer.BYTES ? packet.getInt(at) : 0;
            if (arriving == Opcode.WRITE) {
                va = Reth.va(packet, offset + Opcode.rethOffset(opcode));
                rkey = Reth.rkey(packet, offset + Opcode.rethOffset(opcode));
            }
        } else if (kindOf(opcode) != arriving || psn != awaitedPsn) {
            arriving = NONE;
            return;
        }
        awaitedPsn = Psn.next(psn);
        if (!Opcode.has(opcode, Opcode.END)) {
            return;
        }
        if (arriving == Opcode.WRITE) {
            arrivals.onWrite(va, rkey);
        }
        boolean immediate = Opcode.has(opcode, Opcode.IMMEDIATE);
        if (arriving == Opcode.SEND || immediate) {
            arrivals.onMessage(immediate ? ImmDt.immediate(packet, offset + Opcode.immediateOffset(opcode)) : stamp);
        }
        arriving = NONE;
    }

    private static int kindOf(int opcode) {
        return Opcode.flags(opcode) & (Opcode.SEND | Opcode.WRITE);
    }
}
