// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Reth;

/**
 * An RC queue pair. {@link Requester} sends requests, {@link Completer} receives the responses to them, {@link Responder} executes the
 * peer's requests. Requester and completer do not know each other: they share {@link SendState}, {@link SendWindow}, {@link LossRecovery}
 * and {@link SendCompletions}, which this class makes. {@link KeepAlive} probes the peer while all of them have nothing to do.
 * {@link XrcInitiator} and {@link XrcTarget} are its two halves, under opcodes of their own.
 */
public class RcMachine extends QpMachine {
    private final int transport;
    private final SendState sends;
    private final SendWindow window;
    private final RequestSizes sizes;
    private final LossRecovery recovery;
    private final KeepAlive keepAlive;
    private final SendCompletions sendCompletions;
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;
    private final FlightBudget flight;
    private int maxDestRdAtomic;
    /** The last turn sent data and left the acknowledgement to the next one. */
    private boolean answerLeft;

    /** Mark of the budget: the queue pair is in its line. */
    boolean inLine;

    /**
     * Makes an RC queue pair.
     *
     * @param flight shared by all queue pairs of the device
     */
    public RcMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<RxeCounter> counters, FlightBudget flight) {
        this(qpn, queues, memory, counters, flight, Opcode.TRANSPORT_RC,
            new QpAttributes().accessFlags(0).pkeyIndex(0).port(0).destQpn(0).maxRdAtomic(0).maxDestRdAtomic(0).minRnrTimer(0).timeout(0)
                .retryCount(0).rnrRetry(0).sqdAsyncNotify(false),
            new RequestContext(queues.pdNumber(), queues.receives(), queues.recvCq()));
    }

    /**
     * Makes a queue pair of RC or XRC.
     *
     * @param transport the service's bits of the opcode: one of {@link Opcode}'s TRANSPORT constants
     */
    public RcMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<RxeCounter> counters, FlightBudget flight, int transport,
              QpAttributes attributes, RequestContext context) {
        super(qpn, queues, memory, counters, attributes, context);
        this.flight = flight;
        this.transport = transport;
        sends = new SendState(queues.sends());
        window = new SendWindow(sends, flight);
        sizes = new RequestSizes(queues.sends());
        recovery = new LossRecovery(sends, window, attributes, counters, this::observer);
        keepAlive = new KeepAlive(this, sends, attributes, counters);
        sendCompletions = newSendCompletions();
        requester = new Requester(this, sends, window, sizes, recovery, sendCompletions);
        completer = new Completer(this, sends, sizes, recovery, sendCompletions);
        responder = new Responder(this);
    }

    @Override
    public QpType type() {
        return QpType.RC;
    }

    // ---- input ----

    @Override
    public final RxeCounter checkOrigin(InboundPacket packet) {
        if (path() == null) {
            return RxeCounter.DROP_QP_STATE;
        }
        return path().connects(packet.frame()) ? null : RxeCounter.DROP_WRONG_ADDRESS;
    }

    @Override
    public final void onPacket(long nowNs, InboundPacket packet) {
        if (!mayReceive()) {
            drop(RxeCounter.DROP_QP_STATE, qpn(), state().value());
            return;
        }
        // Part of the check of packet headers, not of requests: dropped without an answer, as in kernel rxe 6.1. IBA vol 1 §9.6.1
        if (packet.service() != transport) {
            drop(RxeCounter.DROP_WRONG_SERVICE, packet.opcode(), 0);
            return;
        }
        keepAlive.onPacket(nowNs);
        if (!packet.has(Opcode.RESPONSE)) {
            onRequest(packet);
        } else if (state() == QpState.RTR) {
            drop(RxeCounter.DROP_QP_STATE, qpn(), state().value());
        } else {
            onResponse(nowNs, packet);
        }
    }

    /** Handles a packet of this service that is not a response; its opcode may be reserved. */
    void onRequest(InboundPacket packet) {
        onPeerSeen();
        responder.onRequest(packet);
    }

    /** Handles a response of this service. */
    void onResponse(long nowNs, InboundPacket packet) {
        if (keepAlive.isOutstanding()) {
            failIf(keepAlive.onResponse(nowNs, packet));
        } else {
            completer.onResponse(nowNs, packet);
        }
        countFlight();
    }

    @Override
    void onServiceTimer(long nowNs) {
        Failure unanswered = recovery.onTimer(nowNs);
        if (unanswered != null) {
            failUnanswered(unanswered);
        }
        failIf(keepAlive.onTimer(nowNs));
        countFlight();
    }

    @Override
    long serviceDeadlineNs() {
        return Deadline.earlier(recovery.deadlineNs(), keepAlive.deadlineNs());
    }

    // ---- output ----

    @Override
    public final boolean awaitsHandOver() {
        return recovery.awaitsHandOver();
    }

    @Override
    public final void onHandedOver(long nowNs) {
        recovery.onHandedOver(nowNs);
    }

    /**
     * Sends data that the peer requested first, then requests, and the acknowledgement last. As the shortest packet it ends the train that
     * a reply of the application begins, and both cross the host in one piece. In memory there are no trains, and a reply is received
     * sooner without an acknowledgement behind it: that leaves with the next turn.
     */
    @Override
    int transmitFreely(long nowNs, PacketWriter out, int budget) {
        int sent = transmitData(nowNs, out, budget, 1);
        answerLeft = sent > 0 && !answerLeft && responder.owes() && out.staysInMemory(path());
        return answerLeft ? sent : sent + responder.transmit(out, budget - sent);
    }

    @Override
    public final boolean hasAnswerLeft() {
        return answerLeft;
    }

    @Override
    int transmitData(long nowNs, PacketWriter out, int budget) {
        return transmitData(nowNs, out, budget, 0);
    }

    /**
     * Sends responses with data, and requests.
     *
     * @param forAnswer packets of the budget reserved for an acknowledgement, if one is owed
     */
    private int transmitData(long nowNs, PacketWriter out, int budget, int forAnswer) {
        int sent = responder.transmitData(out, budget);
        int forRequests = budget - sent - (responder.owes() ? forAnswer : 0);
        if (forRequests > 0 && requester.transmitProbe(nowNs, out)) {
            forRequests--;
            sent++;
        }
        if (forRequests > 0 && keepAlive.isDue() && out.hasRoom()) {
            keepAlive.transmit(nowNs, out);
            sent++;
        }
        sent += requester.transmit(nowNs, out, Math.min(forRequests, window.room()));
        keepAlive.onTurn(nowNs, sent > 0);
        countFlight();
        if (window.room() <= 0 && requester.hasMore()) {
            flight.await(this);
        }
        return sent;
    }

    @Override
    boolean hasData() {
        return responder.owesData() || requester.hasMore() || recovery.isProbing() || keepAlive.isDue();
    }

    @Override
    int transmitAnswer(PacketWriter out, int budget) {
        return responder.owesData() ? 0 : responder.transmit(out, budget);
    }

    private void countFlight() {
        if (isLive()) {
            window.account();
        } else {
            window.release();
        }
    }

    @Override
    public void settle(PacketWriter out, int budget) {
        responder.transmit(out, budget);
    }

    @Override
    public int sendPosted(long nowNs, PacketWriter out, int budget) {
        int sent = requester.transmit(nowNs, out, Math.min(budget, window.room()));
        countFlight();
        return sent;
    }

    @Override
    public LingeringQueuePairs.Entry lingering(long untilNs) {
        return path() == null ? null : new LingeringQueuePairs.Entry(this, untilNs);
    }

    @Override
    public final void follow(QueuePairOptions options) {
        super.follow(options);
        recovery.probe(options.recovery() == Recovery.EARLY);
        sizes.follow(options.segmentation());
        if (transport == Opcode.TRANSPORT_RC) {
            // A request of XRC must name a shared receive queue of the peer: none is known here.
            keepAlive.probeAfter(options.keepAliveNs());
        }
    }

    @Override
    final int longestPacketBytes() {
        return super.longestPacketBytes() + (sizes.isEqual() ? Reth.LENGTH : 0);
    }

    // ---- states ----

    @Override
    void onReadyToReceive() {
        // Rounded up as in the kernel: a kernel peer rounds its own depth up, and uses that many.
        maxDestRdAtomic = roundUp(attributes().maxDestRdAtomic());
        responder.start(attributes().rqPsn(), Math.max(1, maxDestRdAtomic));
    }

    private static int roundUp(int depth) {
        return depth <= 1 ? depth : Integer.highestOneBit(depth - 1) << 1;
    }

    @Override
    void onReadyToSend() {
        sends.reset(attributes().sqPsn());
        window.reset();
        sizes.reset();
        recovery.reset();
    }

    @Override
    void onServiceReset() {
        sends.reset(0);
        recovery.reset();
        keepAlive.stop();
        responder.dropResponses();
        leaveFlight();
    }

    @Override
    protected void onClosed() {
        leaveFlight();
    }

    private void leaveFlight() {
        flight.forget(this);
        countFlight();
    }

    @Override
    public void enterError() {
        responder.dropResponses();
        super.enterError();
    }

    /**
     * Enters ERR, but keeps the responses that are queued: among them is the NAK that reports the reason to the peer. A queue pair that is
     * being destroyed does not change: no work request completes any more.
     */
    void enterErrorAfterResponses() {
        if (isLive()) {
            super.enterError();
        }
    }

    @Override
    protected void flush() {
        super.flush();
        leaveFlight();
    }

    @Override
    protected void flushSends() {
        sendCompletions.flush();
        recovery.stop();
        keepAlive.stop();
    }

    @Override
    protected void flushReceives() {
        responder.flush();
    }

    @Override
    protected long drainEnd() {
        return sends.started;
    }

    @Override
    protected boolean isRestDrained() {
        return !keepAlive.isOutstanding();
    }

    @Override
    public QpAttributes query() {
        return super.query().rqPsn(responder.expectedPsn()).sqPsn(sends.nextPsn);
    }

    // ---- shared by requester, completer and responder ----

    @Override
    boolean maySend() {
        return super.maySend() && !recovery.waitsForReceiver() && !keepAlive.isOutstanding();
    }

    /**
     * The connection is lost: the oldest work request fails, everything else is flushed, and the queue pair is in error. If there is none,
     * an event reports it.
     */
    final void fail(Failure why) {
        if (sends.ring.head() == sends.ring.tail()) {
            onFailure(RecordedEvent.Effect.FAILED, why);
            raise(AsyncEventType.QP_FATAL);
        } else {
            sendCompletions.fail(sends.ring.head(), why);
        }
        enterError();
    }

    /** Fails the oldest work request, which was not answered, and explains that if its packets no longer fit the interface. */
    private void failUnanswered(Failure why) {
        long head = sends.ring.head();
        boolean tooLong = isOnWire() && Math.min(sends.ring.length(head), mtu()) > interfaceMtu().pathMtu();
        sendCompletions.fail(head, tooLong ? Failure.of(Reason.PATH_MTU_TOO_LARGE, mtu(), interfaceMtu().pathMtu()) : why);
        if (tooLong) {
            interfaceMtu().onConnectionLost(qpn(), mtu());
        }
        enterError();
    }

    /** @param why null if nothing failed */
    final void failIf(Failure why) {
        if (why != null) {
            fail(why);
        }
    }

    /** Bits of the opcode that stand for the service. */
    public final int transport() {
        return transport;
    }

    public int destQpn() {
        return attributes().destQpn();
    }

    int accessFlags() {
        return attributes().accessFlags();
    }

    int maxRdAtomic() {
        return attributes().maxRdAtomic();
    }

    int maxDestRdAtomic() {
        return maxDestRdAtomic;
    }

    int minRnrTimer() {
        return attributes().minRnrTimer();
    }

    public Responder responder() {
        return responder;
    }
}
