// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.nio.ByteBuffer;
import java.util.Set;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.AtomicAckEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Syndrome;

/** Rules for packets of a responder. Source: IBA vol 1 §9.7.4, §9.7.5.1, §9.7.5.2. */
final class ResponseRules {
    private ResponseRules() {
    }

    /** @param goneKeys of the responder's regions that were deregistered. @return what is wrong, or null */
    static String check(Flow flow, ByteBuffer packet, int offset, int opcode, int payload, Set<Integer> goneKeys) {
        long position = flow.position(Bth.psn(packet, offset));
        if (position < 0 || position >= flow.slots.size()) {
            return "answers a PSN that was never sent";
        }
        if (Bth.ackRequest(packet, offset) || Bth.solicitedEvent(packet, offset)) {
            return "a response with A or SE";
        }
        int at = (int) position;
        Flow.Slot slot = flow.slot(at);
        int previous = flow.lastResponseOpcode;
        long previousAt = flow.lastResponseAt;
        flow.lastResponseOpcode = opcode;
        flow.lastResponseAt = at;
        int syndrome = Syndrome.ACK_UNLIMITED;
        if (Opcode.has(opcode, Opcode.AETH)) {
            int aeth = offset + Opcode.aethOffset(opcode);
            syndrome = Aeth.syndrome(packet, aeth);
            String wrong = checkMsn(flow, at, opcode, syndrome, Aeth.msn(packet, aeth));
            if (wrong != null) {
                return wrong;
            }
        }
        boolean refuses = !Syndrome.isAck(syndrome);
        if (flow.responderGone && (!flow.responderDestroyed || refuses || opcode != Opcode.RC_ACKNOWLEDGE)) {
            return "an answer of a queue pair that is gone";
        }
        if (flow.expected < (refuses ? at : at + 1)) {
            return (refuses ? "NAK" : "ACK") + " of something that has not arrived in its turn: position " + at + ", arrived "
                + flow.expected;
        }
        if (opcode == Opcode.RC_ACKNOWLEDGE) {
            return refuses ? checkRefusal(flow, slot, at, syndrome, goneKeys)
                : slot.isFetch() && at >= flow.acked ? "a READ or atomic answered by a plain ACK" : null;
        }
        if (refuses) {
            return "syndrome " + Integer.toHexString(syndrome) + " in a response with data";
        }
        if (--slot.asked < 0) {
            return "answered more often than asked";
        }
        if (opcode == Opcode.RC_ATOMIC_ACKNOWLEDGE) {
            return checkAtomic(slot, AtomicAckEth.original(packet, offset + Opcode.atomicAckEthOffset(opcode)));
        }
        if (payload > 0 && goneKeys.contains(slot.rkey)) {
            return "data of a region that was deregistered";
        }
        boolean continues = Opcode.has(previous, Opcode.READ_RESPONSE) && !Opcode.has(previous, Opcode.END) && previousAt == at - 1;
        return checkRead(flow, slot, at, opcode, payload, continues);
    }

    /**
     * The MSN counts the messages executed: up to the PSN that is answered, however often that is repeated, and before the one that is
     * refused. In two cases another is right, too. A repeated SEND or WRITE is acknowledged up to the next READ or atomic, with as many as
     * are executed now. And a READ may be refused when it has been counted.
     */
    private static String checkMsn(Flow flow, int at, int opcode, int syndrome, int msn) {
        Flow.Slot slot = flow.slot(at);
        boolean acknowledges = Syndrome.isAck(syndrome);
        int least = acknowledges ? slot.messages : flow.messagesBefore(at);
        int most = least;
        if (acknowledges && opcode == Opcode.RC_ACKNOWLEDGE && flow.repeated && at + 1 < flow.expected && flow.slot(at + 1).isFetch()) {
            most = flow.messagesBefore(flow.expected);
        } else if (syndrome == Syndrome.NAK_REMOTE_ACCESS && slot.isFetch()) {
            most = slot.messages;
        }
        if (msn < least || msn > most) {
            return "MSN " + msn + " instead of " + least + (most == least ? "" : ".." + most);
        }
        if (opcode == Opcode.RC_ACKNOWLEDGE && Syndrome.isAck(syndrome)) {
            if (msn < flow.lastMsn) {
                return "MSN " + msn + " after " + flow.lastMsn;
            }
            flow.lastMsn = msn;
        }
        return null;
    }

    private static String checkRefusal(Flow flow, Flow.Slot slot, int at, int syndrome, Set<Integer> goneKeys) {
        flow.naks++;
        if (Syndrome.isRnr(syndrome)) {
            boolean takesReceive = Opcode.has(slot.opcode, Opcode.SEND | Opcode.START)
                || Opcode.has(slot.opcode, Opcode.WRITE | Opcode.IMMEDIATE);
            return takesReceive ? null : "RNR NAK of what takes no receive";
        }
        switch (syndrome) {
            case Syndrome.NAK_PSN_SEQUENCE -> {
                if (flow.furthest <= at + 1) {
                    return "a sequence NAK, but nothing came after the gap";
                }
                if (flow.nakAt == at && !flow.nakHeard) {
                    return "a second NAK for the same gap";
                }
                flow.nakAt = at;
                flow.nakHeard = false;
                return null;
            }
            case Syndrome.NAK_REMOTE_ACCESS -> {
                // Of a READ that was answered long ago an old copy may come when its memory window is gone, as it may by then.
                boolean old = slot.isFetch() && at < flow.acked;
                return old || goneKeys.contains(slot.rkey) ? null : "remote access error, but the region is there";
            }
            case Syndrome.NAK_REMOTE_OPERATIONAL -> {
                return Opcode.has(slot.opcode, Opcode.SEND) && !goneKeys.isEmpty() ? null
                    : "remote operational error, but all receives are there";
            }
            default -> {
                return "syndrome " + Integer.toHexString(syndrome);
            }
        }
    }

    private static String checkAtomic(Flow.Slot slot, long original) {
        boolean same = !slot.answered || slot.original == original;
        slot.answered = true;
        slot.original = original;
        return !Opcode.has(slot.opcode, Opcode.ATOMIC_REQUEST) ? "not an atomic" : same ? null : "another result than before";
    }

    private static String checkRead(Flow flow, Flow.Slot slot, int at, int opcode, int payload, boolean continues) {
        if (!Opcode.has(slot.opcode, Opcode.READ_REQUEST)) {
            return "not a READ";
        }
        boolean last = at == slot.end() - 1;
        long left = slot.length - (long) (at - slot.first) * flow.mtu;
        if (last != Opcode.has(opcode, Opcode.END) || payload != Math.min(left, flow.mtu)) {
            return "READ response of " + payload + " bytes, " + left + " are left";
        }
        return Opcode.has(opcode, Opcode.START) || continues ? null : "a READ response that continues nothing";
    }
}
