// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.util.function.Supplier;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.RnrTimer;

/**
 * Decides when an RC queue pair sends again, and when it gives up: ACK timer, receiver-not-ready wait, the retry counters, and, if the
 * device has {@link org.softrdma.rxe.config.Recovery#EARLY}, probes of a silent peer. Sending again is go-back-N: the cursor of
 * {@link SendState} moves to the oldest unacknowledged packet.
 *
 * <p>The {@link Requester} reports what it transmitted, the {@link Completer} what was acknowledged or refused, the queue pair when
 * {@link #deadlineNs} expires. A method that may use up the last retry returns the failure of the oldest work request, or null.
 * Source: IBA vol 1 §9.7.5, §9.9.2.
 */
final class LossRecovery {
    /**
     * Time by which the ACK timer expires later than it must: an acknowledgement that arrives in time may wait for this host to read it.
     * Kernel rxe 6.1 rounds up to a tick, 1 to 10 ms.
     */
    private static final long READING_NS = 1_000_000;
    /** Shorter ACK timeouts are raised to this: a general-purpose host cannot tell them from its own scheduling. rxe has 4 ms, too. */
    private static final long SHORTEST_TIMEOUT_NS = 4_000_000;
    /** Value of rnr_retry without a limit. IBA vol 1 §9.7.5.2.8 */
    private static final int RETRY_FOR_EVER = 7;
    /** Maximum probes sent to a silent peer before the ACK timeout; the interval doubles each time. */
    private static final int MAX_PROBES = 3;
    private static final int NO_PSN = -1;

    private final SendState state;
    private final SendWindow window;
    private final QpAttributes attributes;
    private final Counters<RxeCounter> counters;
    private final Supplier<QueuePairObserver> observer;
    private final RoundTrip roundTrip = new RoundTrip();

    private boolean probes;
    private long ackDeadlineNs = Deadline.NEVER;
    /** The cursor was moved back, and nothing has been sent since: the ACK timer starts with the next packet. */
    private boolean sendsAgain;
    /** The packet that the ACK timer measures from was sent, but the link may not have it yet. */
    private boolean awaitsHandOver;
    private long rnrUntilNs = Deadline.NEVER;
    private long probeDeadlineNs = Deadline.NEVER;
    private int retriesLeft;
    private int rnrRetriesLeft;
    /** A NAK or gap has made us go back already: another one before any progress changes nothing. */
    private boolean wentBack;
    /** The oldest unacknowledged packet must be sent once more, without moving the cursor. */
    private boolean probing;
    /** Probes since the last progress. */
    private int probesSent;
    private int probedPsn;

    /**
     * Creates the recovery of a queue pair.
     *
     * @param attributes the queue pair's: timeout, retry_cnt and rnr_retry are read whenever they apply
     * @param observer   the queue pair's at any time
     */
    LossRecovery(SendState state, SendWindow window, QpAttributes attributes, Counters<RxeCounter> counters,
                 Supplier<QueuePairObserver> observer) {
        this.state = state;
        this.window = window;
        this.attributes = attributes;
        this.counters = counters;
        this.observer = observer;
    }

    /** Whether a silent peer is probed before the ACK timeout; not at first. */
    void probe(boolean early) {
        probes = early;
    }

    /** Starts over: nothing is in flight. */
    void reset() {
        stop();
        wentBack = false;
        probing = false;
        probesSent = 0;
        roundTrip.reset();
        resetRetries();
    }

    /** Stops all timers: the send queue was flushed. */
    void stop() {
        ackDeadlineNs = Deadline.NEVER;
        probeDeadlineNs = Deadline.NEVER;
        rnrUntilNs = Deadline.NEVER;
        sendsAgain = false;
        awaitsHandOver = false;
    }

    private void resetRetries() {
        retriesLeft = attributes.retryCount();
        rnrRetriesLeft = attributes.rnrRetry();
    }

    // ---- timers ----

    /** When {@link #onTimer} must be called, or {@link Deadline#NEVER}. */
    long deadlineNs() {
        return Deadline.earlier(Deadline.earlier(ackDeadlineNs, probeDeadlineNs), rnrUntilNs);
    }

    /**
     * Handles a deadline that may have expired.
     *
     * @return null, or why the oldest work request fails
     */
    Failure onTimer(long nowNs) {
        if (Deadline.isDue(rnrUntilNs, nowNs)) {
            rnrUntilNs = Deadline.NEVER;
            moveBack(Reason.RNR_WAIT_OVER, 0);
            restartTimers(nowNs);
            return null;
        }
        boolean timedOut = Deadline.isDue(ackDeadlineNs, nowNs);
        if (awaitsHandOver && (timedOut || Deadline.isDue(probeDeadlineNs, nowNs))) {
            startTimers(nowNs);
        } else if (timedOut) {
            return onAckTimeout(nowNs);
        } else if (Deadline.isDue(probeDeadlineNs, nowNs)) {
            onSilence(nowNs);
        }
        return null;
    }

    private Failure onAckTimeout(long nowNs) {
        ackDeadlineNs = Deadline.NEVER;
        if (!state.hasOutstanding()) {
            return null;
        }
        if (!takeRetry()) {
            return Failure.of(Reason.NO_ANSWER, attributes.destQpn(), attributes.retryCount() + 1, timeoutNs(attributes.timeout()));
        }
        wentBack = false;
        window.onTimeout();
        retry(nowNs, Reason.ACK_TIMEOUT, timeoutNs(attributes.timeout()));
        return null;
    }

    private void restartTimers(long nowNs) {
        probesSent = 0;
        startTimers(nowNs);
    }

    /** Measures both silences from now on, if something is outstanding. */
    private void startTimers(long nowNs) {
        if (attributes.timeout() == 0 || !state.hasOutstanding()) {
            ackDeadlineNs = Deadline.NEVER;
            probeDeadlineNs = Deadline.NEVER;
        } else {
            ackDeadlineNs = nowNs + timeoutNs(attributes.timeout());
            probeDeadlineNs = probes && roundTrip.isKnown() && probesSent < MAX_PROBES
                ? nowNs + (roundTrip.silenceNs() << probesSent) : Deadline.NEVER;
        }
    }

    /**
     * The ACK timeout of a timeout code, 1..31. The timer must expire between one and four times 4.096 µs · 2^code after the packet was
     * sent (IBA vol 1 §9.9.2.3). {@link #READING_NS} longer than once it is, and not less than {@link #SHORTEST_TIMEOUT_NS}.
     */
    static long timeoutNs(int code) {
        return Math.max((4096L << code) + READING_NS, SHORTEST_TIMEOUT_NS);
    }

    // ---- transmission ----

    /** A request packet was sent. If it is the one that the ACK timer measures from, {@link #awaitsHandOver} is true from here on. */
    void onTransmit(long nowNs) {
        if (ackDeadlineNs == Deadline.NEVER || sendsAgain) {
            sendsAgain = false;
            startTimers(nowNs);
            awaitsHandOver = ackDeadlineNs != Deadline.NEVER;
        }
    }

    /** Whether {@link #onHandedOver} must be called once the link has the packets: until then, no silence counts. */
    boolean awaitsHandOver() {
        return awaitsHandOver;
    }

    /** The link has all packets that were sent: measures from here, however long the batch had to wait for the socket. */
    void onHandedOver(long nowNs) {
        if (awaitsHandOver) {
            awaitsHandOver = false;
            startTimers(nowNs);
        }
    }

    /** A packet that requests an acknowledgement was sent for the first time. */
    void onAckRequested(int psn, long nowNs) {
        roundTrip.onAckRequested(psn, nowNs);
    }

    /** Whether sending waits for the peer to have a receive. */
    boolean waitsForReceiver() {
        return rnrUntilNs != Deadline.NEVER;
    }

    /** Whether a probe must be sent: the oldest unacknowledged packet, once more. */
    boolean isProbing() {
        return probing;
    }

    /**
     * The probe was sent, or cannot be.
     *
     * @param isNext it was the packet at the cursor anyway: its answer indicates no loss
     */
    void onProbed(boolean isNext) {
        probing = false;
        if (isNext) {
            probedPsn = NO_PSN;
        }
    }

    // ---- responses ----

    /** Packets were acknowledged: {@link SendState#unacked} has moved by that many. */
    void onProgress(long nowNs, int packets) {
        wentBack = false;
        probing = false;
        resetRetries();
        roundTrip.onAcknowledged(state.unacked, nowNs);
        window.onProgress(packets);
        boolean overtaken = state.cursor < state.ring.head() || Psn.compare(state.cursorPsn(), state.unacked) < 0;
        if (overtaken || waitsForReceiver()) {
            // Acknowledged while it was about to be sent again, or while waiting to.
            state.goBack();
            sendsAgain = true;
        }
        rnrUntilNs = Deadline.NEVER;
        restartTimers(nowNs);
    }

    /** Whether an acknowledgement of {@code psn} answers a probe. */
    boolean isProbed(int psn) {
        return probesSent > 0 && psn == probedPsn;
    }

    /** A probe was acknowledged, and only that packet: it had been lost, and the responder discarded all packets after it. */
    void onProbeAcknowledged(long nowNs) {
        window.onGap();
        goBack(nowNs, Reason.PROBE_ACKNOWLEDGED, 0);
    }

    /**
     * The responder found a gap: sends again from the oldest unacknowledged packet, once until there is progress. Not while waiting for
     * its receiver: everything is sent again after that anyway, and kernel rxe 6.1 lets such a NAK follow each of its RNR NAKs.
     *
     * @param why how that is known: {@link Reason#SEQUENCE_NAK} or {@link Reason#RESPONSE_LOST}
     * @param psn of the response that says so
     * @return null, or why the oldest work request fails
     */
    Failure onGap(long nowNs, Reason why, int psn) {
        if (wentBack || waitsForReceiver()) {
            counters.count(RxeCounter.DROP_UNEXPECTED_RESPONSE);
            observer.get().occurred(RecordedEvent.Effect.DROPPED, Reason.DROP_UNEXPECTED_RESPONSE, psn, 0, 0);
            return null;
        }
        if (!takeRetry()) {
            return Failure.of(Reason.LOST_TOO_OFTEN, attributes.retryCount() + 1);
        }
        wentBack = true;
        window.onGap();
        retry(nowNs, why, psn);
        return null;
    }

    /**
     * The responder has no receive posted: waits before sending again.
     *
     * @param timerCode of the RNR NAK, 0..31
     * @return null, or why the oldest work request fails
     */
    Failure onReceiverNotReady(long nowNs, int timerCode) {
        if (waitsForReceiver()) {
            return null;
        }
        if (rnrRetriesLeft == 0) {
            counters.count(RxeCounter.RETRY_RNR_EXCEEDED_ERR);
            return Failure.of(Reason.RECEIVER_NOT_READY, attributes.destQpn(), attributes.rnrRetry() + 1);
        }
        if (rnrRetriesLeft != RETRY_FOR_EVER) {
            rnrRetriesLeft--;
        }
        // The peer is alive: packets lost during a long wait for a receive must not add up to a dead connection.
        retriesLeft = attributes.retryCount();
        rnrUntilNs = nowNs + RnrTimer.toNs(timerCode);
        observer.get().occurred(RecordedEvent.Effect.WAITS, Reason.RNR_NAK, RnrTimer.toNs(timerCode), 0, 0);
        ackDeadlineNs = Deadline.NEVER;
        probeDeadlineNs = Deadline.NEVER;
        awaitsHandOver = false;
        probing = false;
        return null;
    }

    // ---- sending again ----

    /**
     * Uses up one retry.
     *
     * @return false if none was left
     */
    private boolean takeRetry() {
        if (retriesLeft == 0) {
            counters.count(RxeCounter.RETRY_EXCEEDED_ERR);
            return false;
        }
        retriesLeft--;
        return true;
    }

    private void retry(long nowNs, Reason why, long value) {
        counters.count(RxeCounter.COMPLETER_RETRY_ERR);
        goBack(nowNs, why, value);
    }

    /** @param value first value of the reason's sentence */
    private void moveBack(Reason why, long value) {
        observer.get().occurred(RecordedEvent.Effect.REPEATS, why, value, 0, 0);
        state.goBack();
        sendsAgain = true;
    }

    private void goBack(long nowNs, Reason why, long value) {
        moveBack(why, value);
        probing = false;
        roundTrip.onSentAgain();
        restartTimers(nowNs);
    }

    /**
     * Probes a peer that has been silent for longer than it usually takes. The last packets were lost, or its NAK was (it sends one only),
     * or the packet sent again for that. Waiting for the ACK timeout would be right, but slow: the oldest packet, sent once more, causes an
     * answer in each case. A READ or atomic is requested again, and all after it, since its responder then forgets those. A probe uses up
     * no retry: the ACK timer keeps running, so the peer sees more transmissions than retry_cnt allows. Sending again earlier than that is
     * the requester's liberty, and duplicates are what a responder must expect (IBA vol 1 §9.7.5.1.4).
     */
    private void onSilence(long nowNs) {
        probesSent++;
        probeDeadlineNs = probesSent < MAX_PROBES ? nowNs + (roundTrip.silenceNs() << probesSent) : Deadline.NEVER;
        probedPsn = state.unacked;
        roundTrip.onSentAgain();
        counters.count(RxeCounter.SILENCE_PROBES);
        observer.get().occurred(RecordedEvent.Effect.REPEATS, Reason.SILENT_PEER, 0, 0, 0);
        if (SendState.isAnswered(state.ring.opcode(state.ring.head()))) {
            wentBack = false;
            state.goBack();
        } else {
            probing = true;
        }
    }
}
