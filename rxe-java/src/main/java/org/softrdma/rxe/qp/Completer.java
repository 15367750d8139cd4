// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.AtomicAckEth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Syndrome;

/**
 * Receives responses and completes work requests in order: acknowledgements (implied ones too), READ data, atomic results, NAKs. Whether
 * packets are sent again is decided by {@link LossRecovery}. Source: IBA vol 1 §9.7.5, §9.7.6, §9.9.2.
 */
final class Completer {
    private final RcMachine qp;
    private final SendState state;
    private final SendRing ring;
    private final RequestSizes sizes;
    private final LossRecovery recovery;
    private final SendCompletions completions;
    private final ScatterGather data;

    Completer(RcMachine qp, SendState state, RequestSizes sizes, LossRecovery recovery, SendCompletions completions) {
        this.qp = qp;
        this.state = state;
        this.sizes = sizes;
        this.recovery = recovery;
        this.completions = completions;
        ring = state.ring;
        data = qp.data();
    }

    /** Handles a response that passed the edge's checks. */
    void onResponse(long nowNs, InboundPacket packet) {
        int psn = packet.psn();
        if (Psn.compare(psn, state.sentEnd) >= 0) {
            qp.drop(RxeCounter.DROP_UNSENT_PSN_RESPONSE, psn, 0);
            return;
        }
        if (Psn.compare(psn, state.unacked) < 0) {
            qp.drop(RxeCounter.DROP_DUPLICATE_RESPONSE, psn, 0);
            return;
        }
        if (packet.has(Opcode.ACK)) {
            onAcknowledge(nowNs, packet.syndrome(), psn);
        } else if (packet.has(Opcode.ATOMIC_ACK)) {
            onAtomicAck(nowNs, packet);
        } else {
            onReadResponse(nowNs, packet);
        }
    }

    private void onAcknowledge(long nowNs, int syndrome, int psn) {
        if (Syndrome.isAck(syndrome)) {
            boolean answersProbe = recovery.isProbed(psn);
            if (acknowledgeBefore(nowNs, Psn.next(psn)) && answersProbe && state.hasOutstanding()) {
                recovery.onProbeAcknowledged(nowNs);
            }
        } else if (Syndrome.isRnr(syndrome)) {
            qp.counters().count(RxeCounter.RCVD_RNR_ERR);
            if (acknowledgeBefore(nowNs, psn)) {
                qp.failIf(recovery.onReceiverNotReady(nowNs, Syndrome.rnrTimerCode(syndrome)));
            }
        } else if (syndrome == Syndrome.NAK_PSN_SEQUENCE) {
            qp.counters().count(RxeCounter.RCVD_SEQ_ERR);
            if (acknowledgeBefore(nowNs, psn)) {
                qp.failIf(recovery.onGap(nowNs, Reason.SEQUENCE_NAK, psn));
            }
        } else if (Syndrome.isNak(syndrome)) {
            if (acknowledgeBefore(nowNs, psn)) {
                qp.fail(refused(syndrome));
            }
        } else {
            qp.drop(RxeCounter.DROP_UNEXPECTED_RESPONSE, psn, 0);
        }
    }

    /** Why the peer refused the oldest work request. */
    private Failure refused(int nak) {
        long wqe = ring.head();
        return refused(nak, ring.opcode(wqe), ring.remoteAddress(wqe), ring.length(wqe), ring.rkey(wqe));
    }

    /**
     * Explains a NAK.
     *
     * @param operation value of the request's {@link org.softrdma.verbs.WrOpcode}
     */
    static Failure refused(int nak, int operation, long address, long bytes, int rkey) {
        return switch (nak) {
            case Syndrome.NAK_INVALID_REQUEST -> Failure.of(Reason.NAK_INVALID_REQUEST, operation, bytes);
            case Syndrome.NAK_REMOTE_ACCESS -> Failure.of(Reason.NAK_REMOTE_ACCESS, operation, address, bytes, rkey);
            case Syndrome.NAK_REMOTE_OPERATIONAL -> Failure.of(Reason.NAK_REMOTE_OPERATIONAL, operation, bytes);
            default -> Failure.of(Reason.NAK_RESERVED, nak);
        };
    }

    /**
     * Completes the SENDs and WRITEs before {@code psn}: all packets before it have arrived. The response of a READ or atomic among them
     * was lost, so that one must be requested again.
     *
     * @return false if such a response is missing: the rest of the packet then has no meaning
     */
    private boolean acknowledgeBefore(long nowNs, int psn) {
        int acknowledged = 0;
        while (Psn.compare(state.unacked, psn) < 0) {
            long wqe = ring.head();
            if (SendState.isAnswered(ring.opcode(wqe))) {
                progressed(nowNs, acknowledged);
                qp.failIf(recovery.onGap(nowNs, Reason.RESPONSE_LOST, psn));
                return false;
            }
            int end = Psn.next(state.lastPsn(wqe));
            int until = Psn.compare(end, psn) <= 0 ? end : psn;
            acknowledged += Psn.distance(state.unacked, until);
            state.unacked = until;
            if (until == end) {
                if (SendState.isPlainWrite(ring.opcode(wqe))) {
                    sizes.onWritten(wqe);
                }
                completeHead();
                if (!qp.isLive()) {
                    return false;
                }
            }
        }
        progressed(nowNs, acknowledged);
        return true;
    }

    /** Completes the oldest work request, and the windows bound behind it. */
    private void completeHead() {
        completions.completeHead();
        while (qp.isLive() && ring.head() < state.started && ring.packets(ring.head()) == 0) {
            completions.completeHead();
        }
    }

    private void onReadResponse(long nowNs, InboundPacket packet) {
        int psn = packet.psn();
        if (!reach(nowNs, psn)) {
            return;
        }
        long wqe = ring.head();
        boolean isRead = SendState.isRead(ring.opcode(wqe));
        if (!isRead && !SendState.isConfirmed(ring.opcode(wqe))) {
            failForBadResponse(Failure.of(Reason.RESPONSE_OF_OTHER_KIND, ring.opcode(wqe), packet.opcode()));
            return;
        }
        int payload = packet.payloadBytes();
        int index = Psn.distance(state.firstPsn(wqe), psn);
        int requested = isRead ? ring.requestPackets(wqe) : 1;
        long received = (long) index * qp.mtu();
        long missing = (isRead ? ring.length(wqe) : 0) - received;
        boolean last = missing <= qp.mtu();
        boolean end = packet.has(Opcode.END);
        // After a loss the rest may be requested anew, and its first packet be any: rxe 6.1 begins with Middle or Last, others do not.
        boolean begins = packet.has(Opcode.START) || index % requested != 0;
        boolean carriesAck = !packet.has(Opcode.AETH) || Syndrome.isAck(packet.syndrome());
        if (!begins || !carriesAck || payload != Math.min(missing, qp.mtu())
            || end != (last || (index + 1) % requested == 0)) {
            failForBadResponse(Failure.of(Reason.RESPONSE_DOES_NOT_FIT, payload, ring.opcode(wqe)));
            return;
        }
        if (!data.scatter(ring, wqe, received, payload, packet.memory(), packet.payloadAt())) {
            qp.fail(data.explain(ring, wqe, AccessFlags.LOCAL_WRITE));
            return;
        }
        state.unacked = Psn.next(psn);
        if (end) {
            state.readsInFlight = Math.max(0, state.readsInFlight - 1);
        }
        if (last) {
            completeHead();
        }
        progressed(nowNs, 1);
    }

    private void onAtomicAck(long nowNs, InboundPacket packet) {
        int psn = packet.psn();
        if (!reach(nowNs, psn)) {
            return;
        }
        long wqe = ring.head();
        if (!SendState.isAtomic(ring.opcode(wqe)) || !Syndrome.isAck(packet.syndrome())) {
            failForBadResponse(Failure.of(Reason.RESPONSE_OF_OTHER_KIND, ring.opcode(wqe), packet.opcode()));
            return;
        }
        long original = AtomicAckEth.original(packet.buffer(), packet.atomicAckEthAt());
        if (!data.scatterOriginal(ring, wqe, original)) {
            qp.fail(data.explain(ring, wqe, AccessFlags.LOCAL_WRITE));
            return;
        }
        state.unacked = Psn.next(psn);
        state.readsInFlight = Math.max(0, state.readsInFlight - 1);
        completeHead();
        progressed(nowNs, 1);
    }

    /**
     * Brings {@code psn}'s READ or atomic to the head by acknowledging all before it.
     *
     * @return false if a response is missing
     */
    private boolean reach(long nowNs, int psn) {
        if (SendState.isAnswered(ring.opcode(ring.head()))) {
            if (psn != state.unacked) {
                qp.failIf(recovery.onGap(nowNs, Reason.RESPONSE_LOST, psn));
            }
            return psn == state.unacked;
        }
        return acknowledgeBefore(nowNs, psn);
    }

    private void progressed(long nowNs, int packets) {
        if (packets > 0 && qp.isLive()) {
            recovery.onProgress(nowNs, packets);
        }
    }

    /** The response contradicts the oldest work request. */
    private void failForBadResponse(Failure why) {
        qp.counters().count(RxeCounter.RCVD_BAD_RESPONSE);
        qp.fail(why);
    }
}
