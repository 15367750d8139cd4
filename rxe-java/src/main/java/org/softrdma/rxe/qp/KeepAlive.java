// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.Syndrome;

/**
 * Probes the peer of an idle RC queue pair. If nothing was sent or received for the period, it sends an RDMA WRITE without bytes: the peer
 * must acknowledge it, and it needs no key (IBA vol 1 C9-88), changes no memory and takes no receive. The probe is sent again
 * retry_cnt times; then the connection is lost. A queue pair whose ACK timeout is 0 would wait for ever and is not probed.
 *
 * <p>A probe is no work request. It takes the next PSN, and the send queue waits until it is acknowledged; {@link SendState} describes a
 * queue in which nothing is outstanding, so that {@link Requester}, {@link Completer} and {@link LossRecovery} need not know of it. In
 * return a work request that is posted in just that round trip waits for the rest of it, or, if the probe was lost, for the ACK timeout.
 */
final class KeepAlive {
    private final RcMachine qp;
    private final SendState state;
    private final SendRing ring;
    private final QpAttributes attributes;
    private final Counters<RxeCounter> counters;

    /** 0 if idle queue pairs are left alone. */
    private long periodNs;
    private long lastPacketNs;
    /** When the queue pair may have been idle for the period. */
    private long idleDeadlineNs = Deadline.NEVER;
    private long ackDeadlineNs = Deadline.NEVER;
    /** The probe is not acknowledged. While no answer to it is awaited, it must be sent. */
    private boolean outstanding;
    private boolean sentBefore;
    private int psn;
    private int retriesLeft;

    /** @param attributes the queue pair's: timeout and retry_cnt */
    KeepAlive(RcMachine qp, SendState state, QpAttributes attributes, Counters<RxeCounter> counters) {
        this.qp = qp;
        this.state = state;
        this.attributes = attributes;
        this.counters = counters;
        ring = state.ring;
    }

    /**
     * Sets the period; at first, there are no probes.
     *
     * @param timeNs idle time before a probe, 0 for no probes
     */
    void probeAfter(long timeNs) {
        periodNs = timeNs;
    }

    /** Forgets the probe: the queue pair is in RESET or ERR. */
    void stop() {
        idleDeadlineNs = Deadline.NEVER;
        ackDeadlineNs = Deadline.NEVER;
        outstanding = false;
    }

    // ---- traffic ----

    /** A packet was received. */
    void onPacket(long nowNs) {
        lastPacketNs = nowNs;
    }

    /**
     * The queue pair had its turn to send. The first one in RTS starts the timer.
     *
     * @param sent whether it sent packets
     */
    void onTurn(long nowNs, boolean sent) {
        if (sent) {
            lastPacketNs = nowNs;
        }
        if (periodNs > 0 && idleDeadlineNs == Deadline.NEVER && !outstanding && qp.state() == QpState.RTS) {
            lastPacketNs = nowNs;
            idleDeadlineNs = nowNs + periodNs;
        }
    }

    // ---- timers ----

    /** When {@link #onTimer} must be called, or {@link Deadline#NEVER}. */
    long deadlineNs() {
        return Deadline.earlier(idleDeadlineNs, ackDeadlineNs);
    }

    /**
     * Handles a deadline that may have expired.
     *
     * @return null, or why the peer is lost
     */
    Failure onTimer(long nowNs) {
        if (Deadline.isDue(ackDeadlineNs, nowNs)) {
            return sendAgain();
        }
        if (Deadline.isDue(idleDeadlineNs, nowNs)) {
            onIdleDeadline(nowNs);
        }
        return null;
    }

    /** The deadline is not moved with every packet, so there may have been some. */
    private void onIdleDeadline(long nowNs) {
        long idleSinceNs = lastPacketNs + periodNs;
        if (Deadline.isBefore(nowNs, idleSinceNs)) {
            idleDeadlineNs = idleSinceNs;
        } else if (isIdle()) {
            begin();
        } else {
            idleDeadlineNs = nowNs + periodNs;
        }
    }

    /** Whether nothing is posted or outstanding, and a probe may be sent. */
    private boolean isIdle() {
        return qp.state() == QpState.RTS && ring.head() == ring.tail() && attributes.timeout() != 0;
    }

    private void begin() {
        psn = state.takePsn();
        idleDeadlineNs = Deadline.NEVER;
        outstanding = true;
        sentBefore = false;
        retriesLeft = attributes.retryCount();
    }

    private Failure sendAgain() {
        ackDeadlineNs = Deadline.NEVER;
        if (retriesLeft == 0) {
            counters.count(RxeCounter.RETRY_EXCEEDED_ERR);
            return Failure.of(Reason.PROBE_UNANSWERED, qp.destQpn(), attributes.retryCount() + 1);
        }
        retriesLeft--;
        counters.count(RxeCounter.COMPLETER_RETRY_ERR);
        return null;
    }

    // ---- the probe ----

    /** Whether a probe is not acknowledged: no work request may be started, and {@link #onResponse} takes the responses. */
    boolean isOutstanding() {
        return outstanding;
    }

    /** Whether {@link #transmit} must be called. */
    boolean isDue() {
        return outstanding && ackDeadlineNs == Deadline.NEVER;
    }

    /** Sends the probe; there is room for it. */
    void transmit(long nowNs, PacketWriter out) {
        int opcode = Opcode.RC_RDMA_WRITE_ONLY;
        int at = out.begin(qp.path());
        Bth.put(out.buffer(), at, opcode, false, 0, qp.pkey(), qp.destQpn(), true, psn);
        Reth.put(out.buffer(), at + Opcode.rethOffset(opcode), 0, 0, 0);
        qp.finish(out, at, at + Opcode.headerLength(opcode));
        counters.count(sentBefore ? RxeCounter.RETRANSMITTED_PKTS : RxeCounter.KEEPALIVE_PROBES);
        sentBefore = true;
        ackDeadlineNs = nowNs + LossRecovery.timeoutNs(attributes.timeout());
    }

    /**
     * Handles a response while a probe is outstanding.
     *
     * @return null, or why the connection is lost
     */
    Failure onResponse(long nowNs, InboundPacket packet) {
        int order = Psn.compare(packet.psn(), psn);
        if (order != 0 || !sentBefore) {
            qp.drop(order < 0 ? RxeCounter.DROP_DUPLICATE_RESPONSE : RxeCounter.DROP_UNSENT_PSN_RESPONSE, packet.psn(), 0);
            return null;
        }
        int syndrome = packet.has(Opcode.ACK) ? packet.syndrome() : Syndrome.rnr(0);
        if (Syndrome.isAck(syndrome)) {
            end(nowNs);
            return null;
        }
        if (syndrome == Syndrome.NAK_PSN_SEQUENCE) {
            counters.count(RxeCounter.RCVD_SEQ_ERR);
            return sendAgain();
        }
        if (Syndrome.isNak(syndrome)) {
            return Completer.refused(syndrome, WrOpcode.RDMA_WRITE.value(), 0, 0, 0);
        }
        if (Syndrome.isRnr(syndrome)) {
            // Or no acknowledgement at all. A WRITE takes no receive.
            counters.count(RxeCounter.RCVD_BAD_RESPONSE);
            return Failure.of(Reason.RESPONSE_OF_OTHER_KIND, WrOpcode.RDMA_WRITE.value(), packet.opcode());
        }
        qp.drop(RxeCounter.DROP_UNEXPECTED_RESPONSE, packet.psn(), 0);
        return null;
    }

    private void end(long nowNs) {
        outstanding = false;
        ackDeadlineNs = Deadline.NEVER;
        idleDeadlineNs = nowNs + periodNs;
        qp.checkDrained();
    }
}
