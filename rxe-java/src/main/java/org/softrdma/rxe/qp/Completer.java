// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.WcStatus;
import org.softrdma.wire.roce.AtomicAckEth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.RnrTimer;
import org.softrdma.wire.roce.Syndrome;

/**
 * Takes responses, completes work requests in order, and decides when to send again: acknowledgements (implied ones too), READ data,
 * atomic results, NAKs, receiver-not-ready, and silence. Source: IBA vol 1 §9.7.5, §9.7.6, §9.9.2.
 */
final class Completer {
    /** Shorter ACK timeouts are raised to this: a general-purpose host cannot tell them from its own scheduling. rxe has 4 ms, too. */
    private static final long SHORTEST_TIMEOUT_NS = 4_000_000;
    private static final int RETRY_FOR_EVER = 7;
    /** A silent peer is asked so often before the ACK timeout, each time waiting twice as long. */
    private static final int MAX_PROBES = 3;
    private static final int NO_PSN = -1;

    private final RcMachine qp;
    private final SendState state;
    private final SendRing ring;
    private final ScatterGather data;
    private final SendCompletions completions;
    private final long[] atomicResult = new long[1];
    private long ackDeadlineNs = DeadlineHeap.NEVER;
    private long rnrUntilNs = DeadlineHeap.NEVER;
    private final RoundTrip roundTrip = new RoundTrip();
    private long probeDeadlineNs = DeadlineHeap.NEVER;
    /** Since the last progress. */
    private int probes;
    private int probedPsn;

    Completer(RcMachine qp, SendState state, ScatterGather data) {
        this.qp = qp;
        this.state = state;
        this.ring = state.ring;
        this.data = data;
        completions = new SendCompletions(qp, ring);
    }

    void reset() {
        ackDeadlineNs = DeadlineHeap.NEVER;
        rnrUntilNs = DeadlineHeap.NEVER;
        probeDeadlineNs = DeadlineHeap.NEVER;
        probes = 0;
        roundTrip.reset();
        resetRetries();
    }

    private void resetRetries() {
        state.retriesLeft = qp.retryCount();
        state.rnrRetriesLeft = qp.rnrRetry();
    }

    boolean waitsForReceiver() {
        return rnrUntilNs != DeadlineHeap.NEVER;
    }

    long deadlineNs() {
        return Math.min(Math.min(ackDeadlineNs, probeDeadlineNs), rnrUntilNs);
    }

    /** A request packet went out. */
    void onTransmit(long nowNs) {
        if (ackDeadlineNs == DeadlineHeap.NEVER) {
            restartTimer(nowNs);
        }
    }

    /** A packet that asks for an answer went out for the first time. */
    void onAsked(int psn, long nowNs) {
        roundTrip.onAsked(psn, nowNs);
    }

    private void restartTimer(long nowNs) {
        probes = 0;
        if (qp.timeout() == 0 || !state.hasOutstanding()) {
            ackDeadlineNs = DeadlineHeap.NEVER;
            probeDeadlineNs = DeadlineHeap.NEVER;
        } else {
            ackDeadlineNs = nowNs + timeoutNs(qp.timeout());
            probeDeadlineNs = roundTrip.isKnown() ? nowNs + roundTrip.silenceNs() : DeadlineHeap.NEVER;
        }
    }

    /**
     * The timer must fire between one and four times 4.096 µs · 2^code after the packet was sent (IBA vol 1 §9.9.2.3). Twice it is: a host
     * may be late in sending what was written, and a repeat that comes too early does harm. Not less than {@link #SHORTEST_TIMEOUT_NS}.
     */
    static long timeoutNs(int code) {
        return Math.max(2 * (4096L << code), SHORTEST_TIMEOUT_NS);
    }

    /** A response passed the edge's checks. */
    void onResponse(long nowNs, InboundPacket packet) {
        int psn = packet.psn();
        if (Psn.compare(psn, state.sentEnd) >= 0) {
            qp.counters().count(RxeCounter.DROP_GHOST_RESPONSE);
            return;
        }
        if (Psn.compare(psn, state.unacked) < 0) {
            qp.counters().count(RxeCounter.DROP_DUPLICATE_RESPONSE);
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
            boolean answersProbe = probes > 0 && psn == probedPsn;
            if (acknowledgeBefore(nowNs, Psn.next(psn)) && answersProbe && state.hasOutstanding()) {
                // That one had been missing, and what had followed it was thrown away.
                qp.requester().onGap();
                goBack(nowNs);
            }
        } else if (Syndrome.isRnr(syndrome)) {
            qp.counters().count(RxeCounter.RCVD_RNR_ERR);
            if (acknowledgeBefore(nowNs, psn)) {
                onReceiverNotReady(nowNs, Syndrome.rnrTimerCode(syndrome));
            }
        } else if (syndrome == Syndrome.NAK_PSN_SEQUENCE) {
            qp.counters().count(RxeCounter.RCVD_SEQ_ERR);
            if (acknowledgeBefore(nowNs, psn)) {
                goBackOnce(nowNs);
            }
        } else if (Syndrome.isNak(syndrome)) {
            if (acknowledgeBefore(nowNs, psn)) {
                fail(statusOf(syndrome));
            }
        } else {
            qp.counters().count(RxeCounter.DROP_UNEXPECTED_RESPONSE);
        }
    }

    private static WcStatus statusOf(int nak) {
        return switch (nak) {
            case Syndrome.NAK_INVALID_REQUEST -> WcStatus.REM_INV_REQ_ERR;
            case Syndrome.NAK_REMOTE_ACCESS -> WcStatus.REM_ACCESS_ERR;
            default -> WcStatus.REM_OP_ERR;
        };
    }

    /**
     * Everything before {@code psn} has arrived: completes the SENDs and WRITEs among it. A READ or atomic among it whose response never
     * came was answered into a hole, so it must be asked again.
     *
     * @return false if such a hole was found; what came with it has then no meaning
     */
    private boolean acknowledgeBefore(long nowNs, int psn) {
        int acknowledged = 0;
        while (Psn.compare(state.unacked, psn) < 0) {
            long wqe = ring.head();
            if (SendState.isAnswered(ring.opcode(wqe))) {
                progressed(nowNs, acknowledged);
                goBackOnce(nowNs);
                return false;
            }
            int end = Psn.next(state.lastPsn(wqe));
            int until = Psn.compare(end, psn) <= 0 ? end : psn;
            acknowledged += Psn.distance(state.unacked, until);
            state.unacked = until;
            if (until == end) {
                completeHead();
                if (!qp.isLive()) {
                    return false;
                }
            }
        }
        progressed(nowNs, acknowledged);
        return true;
    }

    private void onReadResponse(long nowNs, InboundPacket packet) {
        int psn = packet.psn();
        if (!reach(nowNs, psn)) {
            return;
        }
        long wqe = ring.head();
        boolean isRead = SendState.isRead(ring.opcode(wqe));
        if (!isRead && !SendState.isConfirmed(ring.opcode(wqe))) {
            failForBadResponse();
            return;
        }
        int payload = packet.payloadBytes();
        int index = Psn.distance(state.firstPsn(wqe), psn);
        long received = (long) index * qp.mtu();
        long missing = (isRead ? ring.length(wqe) : 0) - received;
        boolean last = missing <= qp.mtu();
        boolean end = packet.has(Opcode.END);
        boolean carriesAck = !packet.has(Opcode.AETH) || Syndrome.isAck(packet.syndrome());
        if (!carriesAck || payload != Math.min(missing, qp.mtu()) || end != (last || (index + 1) % qp.readRequestPackets() == 0)) {
            failForBadResponse();
            return;
        }
        if (payload > 0 && !data.scatter(ring, wqe, received, payload, packet.memory(), packet.payloadAt())) {
            fail(WcStatus.LOC_PROT_ERR);
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
            failForBadResponse();
            return;
        }
        atomicResult[0] = AtomicAckEth.original(packet.buffer(), packet.atomicAckEthAt());
        if (!data.scatter(ring, wqe, 0, 8, qp.hostOrder(atomicResult[0]), 0)) {
            fail(WcStatus.LOC_PROT_ERR);
            return;
        }
        state.unacked = Psn.next(psn);
        state.readsInFlight = Math.max(0, state.readsInFlight - 1);
        completeHead();
        progressed(nowNs, 1);
    }

    /** Brings {@code psn}'s READ or atomic to the head by acknowledging what is before it. @return false if a response is missing */
    private boolean reach(long nowNs, int psn) {
        if (SendState.isAnswered(ring.opcode(ring.head()))) {
            if (psn != state.unacked) {
                goBackOnce(nowNs);
            }
            return psn == state.unacked;
        }
        return acknowledgeBefore(nowNs, psn);
    }

    private void progressed(long nowNs, int packets) {
        if (packets == 0 || !qp.isLive()) {
            return;
        }
        state.wentBack = false;
        state.probe = false;
        resetRetries();
        roundTrip.onAnswered(state.unacked, nowNs);
        qp.requester().onProgress(packets);
        boolean overtaken = state.cursor < ring.head() || Psn.compare(state.cursorPsn(), state.unacked) < 0;
        if (overtaken || waitsForReceiver()) {
            // Acknowledged while it was about to be sent again, or while waiting to.
            state.goBack();
        }
        rnrUntilNs = DeadlineHeap.NEVER;
        restartTimer(nowNs);
    }

    /**
     * The responder has seen a gap: send again from the oldest unacknowledged packet, once until something arrives. Not while waiting for
     * its receiver: everything is sent again after that anyway, and kernel rxe 6.1 lets such a NAK follow each of its RNR NAKs.
     */
    private void goBackOnce(long nowNs) {
        if (state.wentBack || waitsForReceiver()) {
            qp.counters().count(RxeCounter.DROP_UNEXPECTED_RESPONSE);
            return;
        }
        if (mayRetry()) {
            state.wentBack = true;
            qp.requester().onGap();
            retry(nowNs);
        }
    }

    private boolean mayRetry() {
        if (state.retriesLeft == 0) {
            qp.counters().count(RxeCounter.RETRY_EXCEEDED_ERR);
            fail(WcStatus.RETRY_EXC_ERR);
            return false;
        }
        state.retriesLeft--;
        return true;
    }

    private void retry(long nowNs) {
        qp.counters().count(RxeCounter.COMPLETER_RETRY_ERR);
        goBack(nowNs);
    }

    private void goBack(long nowNs) {
        state.goBack();
        state.probe = false;
        roundTrip.onSentAgain();
        restartTimer(nowNs);
    }

    /**
     * The peer is silent for longer than it usually takes: the last packets were lost, or its NAK was (it sends one only), or the packet
     * sent again for that. To wait for the ACK timeout would be right, but slow: the oldest packet, sent once more, brings the answer in
     * each case. A READ or atomic is asked for again, and all after it, since its responder then forgets those. No retry is used up by
     * this: the ACK timeout runs on. Sending again earlier than that is the requester's liberty, and duplicates are what a responder must
     * expect (IBA vol 1 §9.7.5.1.4).
     */
    private void onSilence(long nowNs) {
        probes++;
        probeDeadlineNs = probes < MAX_PROBES ? nowNs + (roundTrip.silenceNs() << probes) : DeadlineHeap.NEVER;
        probedPsn = state.unacked;
        roundTrip.onSentAgain();
        qp.counters().count(RxeCounter.SILENCE_PROBES);
        if (SendState.isAnswered(ring.opcode(ring.head()))) {
            state.wentBack = false;
            state.goBack();
        } else {
            state.probe = true;
        }
    }

    /** The probe was what would have been sent next anyway: what follows it is sent after it, so its answer is no sign of a loss. */
    void onProbeIsNext() {
        probedPsn = NO_PSN;
    }

    private void onReceiverNotReady(long nowNs, int timerCode) {
        if (waitsForReceiver()) {
            return;
        }
        if (state.rnrRetriesLeft == 0) {
            qp.counters().count(RxeCounter.RETRY_RNR_EXCEEDED_ERR);
            fail(WcStatus.RNR_RETRY_EXC_ERR);
            return;
        }
        if (state.rnrRetriesLeft != RETRY_FOR_EVER) {
            state.rnrRetriesLeft--;
        }
        // The peer lives: a receive that is long in coming must not add up the packets lost meanwhile to a dead connection.
        state.retriesLeft = qp.retryCount();
        rnrUntilNs = nowNs + RnrTimer.toNs(timerCode);
        ackDeadlineNs = DeadlineHeap.NEVER;
        probeDeadlineNs = DeadlineHeap.NEVER;
        state.probe = false;
    }

    void onTimer(long nowNs) {
        if (rnrUntilNs <= nowNs) {
            rnrUntilNs = DeadlineHeap.NEVER;
            state.goBack();
            restartTimer(nowNs);
        } else if (ackDeadlineNs <= nowNs) {
            ackDeadlineNs = DeadlineHeap.NEVER;
            if (state.hasOutstanding() && mayRetry()) {
                state.wentBack = false;
                qp.requester().onTimeout();
                retry(nowNs);
            }
        } else if (probeDeadlineNs <= nowNs) {
            onSilence(nowNs);
        }
    }

    /** The oldest work request is done. */
    void completeHead() {
        completions.completeHead();
    }

    /** The oldest work request failed: it completes with {@code status}, everything else is flushed. */
    void fail(WcStatus status) {
        completions.failHead(status);
        qp.enterError();
    }

    /** What came is no answer to the oldest work request. */
    private void failForBadResponse() {
        qp.counters().count(RxeCounter.RCVD_BAD_RESPONSE);
        fail(WcStatus.BAD_RESP_ERR);
    }

    /** Completes whatever is posted with WR_FLUSH_ERR. */
    void flush() {
        completions.flush();
        ackDeadlineNs = DeadlineHeap.NEVER;
        probeDeadlineNs = DeadlineHeap.NEVER;
        rnrUntilNs = DeadlineHeap.NEVER;
    }
}
