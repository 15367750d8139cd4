// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.QueuePairCore;
import org.softrdma.device.qp.ReceiveCompletions;
import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.link.Path;
import org.softrdma.link.TransmitBatch;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Cnp;
import org.softrdma.wire.roce.Icrc;

/**
 * Protocol machine of one queue pair, of any service. Pure: packets, time and commands go in, packets and completions come out, and
 * nothing here knows a socket, a thread or a clock. The caller is the device's owner (the engine, or a test), on one thread at a time, and
 * keeps this contract:
 *
 * <ul>
 * <li>Call {@link #checkOrigin} before {@link #onPacket}, and deliver a packet only if it returns null. The packet is read during the call
 *     only. A CNP goes to {@link #onCongestionNotification} instead; a packet marked by a switch also to {@link #onCongestionMark}.</li>
 * <li>Call {@link #transmit} after {@link #onPacket}, {@link #onCongestionMark}, {@link #onCongestionNotification}, {@link #onDoorbell},
 *     {@link #onTimer}, {@link #modify} and {@link #enterError}; several of them may share one call. Call it again, without further input,
 *     if it sent its whole budget, if it left no room in the batch, if {@link #hasAnswerLeft}, or when {@link FlightBudget#next} returns
 *     this machine.</li>
 * <li>If {@link #awaitsHandOver} after {@link #transmit}, call {@link #onHandedOver} once the link has accepted the packets.</li>
 * <li>Update the timer, from {@link #deadlineNs}, after {@link #onHandedOver} or, where that is not called, after {@link #transmit}: the
 *     value is valid until the next call of any method above. Call {@link #onTimer} once that time has come; an early or repeated call
 *     does nothing.</li>
 * <li>Call {@link #settle} before {@link #modify} and before the queue pair is destroyed, so that its peer receives the responses it is
 *     owed. To destroy it, call {@link #sendPosted} until it sends nothing, take {@link #lingering}, then call {@link #close}.</li>
 * <li>{@code nowNs} is of any origin and never decreases.</li>
 * </ul>
 *
 * Completions are pushed to completion queues, and events raised, within these calls. A method that throws has found an internal error:
 * call {@link #enterError}.
 */
public abstract class QpMachine extends QueuePairCore {
    /** P_Key of the only partition on Ethernet, and of queue pairs 1: the default one, as full member. */
    public static final int PKEY = 0xffff;

    /** Maximum packets of one turn, for fairness between queue pairs. */
    public static final int TURN_PACKETS = 64;
    /** Maximum bytes of one turn. */
    private static final int TURN_BYTES = TURN_PACKETS * (4096 + 64);

    private final Counters<RxeCounter> counters;
    private final ScatterGather data;
    private final RequestContext requestContext;

    private int pkey = PKEY;
    private Path path;
    private int mtu;
    private int payloadInMemory;
    private int turnPackets = TURN_PACKETS;
    /** Null without congestion control. */
    private CongestionPoint congestion;
    private boolean peerSeen;
    private InterfaceMtu interfaceMtu = InterfaceMtu.AMPLE;

    /** Mark of the engine: the queue pair is in its queue for a turn. */
    public boolean active;
    /** Mark of the engine: the queue pair has packets in the batch that start a timer. */
    public boolean handingOver;

    /** @param attributes those that the service has, with the values they have before they are set */
    QpMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<RxeCounter> counters, QpAttributes attributes) {
        this(qpn, queues, memory, counters, attributes, new RequestContext(queues.pdNumber(), queues.receives(), queues.recvCq()));
    }

    QpMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<RxeCounter> counters, QpAttributes attributes,
              RequestContext requestContext) {
        super(qpn, queues, memory, attributes);
        this.counters = counters;
        this.requestContext = requestContext;
        data = new ScatterGather(memory, queues.pdNumber(), qpn);
    }

    // ---- input ----

    /**
     * Checks the packet's addresses, before anything else of it is checked.
     *
     * @return why it must be dropped, or null
     */
    public abstract RxeCounter checkOrigin(InboundPacket packet);

    /** Handles a packet for this queue pair that passed the edge's checks. */
    public abstract void onPacket(long nowNs, InboundPacket packet);

    /** Handles the mark of a congested switch on a packet for this queue pair. */
    public final void onCongestionMark(long nowNs) {
        counters.count(RxeCounter.NP_ECN_MARKED_ROCE_PACKETS);
        if (congestion != null) {
            congestion.onMark(nowNs);
        }
    }

    /** Handles a CNP: packets of ours were marked. Neither request nor response; its PSN has no meaning. IBA vol 1 annex A17 §A17.9.3 */
    public final void onCongestionNotification(long nowNs) {
        if (!mayReceive()) {
            drop(RxeCounter.DROP_QP_STATE, qpn(), state().value());
        } else if (congestion == null) {
            counters.count(RxeCounter.RP_CNP_IGNORED);
        } else {
            congestion.onNotification(nowNs);
        }
    }

    @Override
    public final void onTimer(long nowNs) {
        if (congestion != null) {
            congestion.onTimer(nowNs);
        }
        onServiceTimer(nowNs);
    }

    /** Handles a {@link #serviceDeadlineNs} that may have expired. */
    abstract void onServiceTimer(long nowNs);

    // ---- output ----

    @Override
    public final long deadlineNs() {
        long serviceNs = serviceDeadlineNs();
        return congestion == null ? serviceNs : Deadline.earlier(serviceNs, congestion.deadlineNs());
    }

    abstract long serviceDeadlineNs();

    /**
     * Sends up to {@code budget} packets.
     *
     * @return number of packets
     */
    public final int transmit(long nowNs, PacketWriter out, int budget) {
        return congestion == null ? transmitFreely(nowNs, out, budget) : transmitAtRate(nowNs, out, budget);
    }

    /** Sends a notification first, then as much data as the rate allows. Lone acknowledgements cause no congestion: they have no limit. */
    private int transmitAtRate(long nowNs, PacketWriter out, int budget) {
        int sent = transmitNotification(out);
        int allowed = congestion.packets(nowNs, budget - sent, Bth.LENGTH + mtu + Icrc.LENGTH);
        int from = out.position();
        int data = transmitData(nowNs, out, allowed);
        congestion.onSent(out.position() - from, data >= allowed && hasData());
        sent += data;
        return sent + transmitAnswer(out, budget - sent);
    }

    private int transmitNotification(PacketWriter out) {
        if (!congestion.owesNotification() || !mayReceive() || !out.hasRoom()) {
            return 0;
        }
        congestion.onNotified();
        int at = out.begin(path);
        finish(out, at, Cnp.putPacket(out.buffer(), at, pkey, attributes().destQpn()));
        counters.count(RxeCounter.NP_CNP_SENT);
        return 1;
    }

    /**
     * Sends up to {@code budget} packets without a rate limit.
     *
     * @return number of packets
     */
    abstract int transmitFreely(long nowNs, PacketWriter out, int budget);

    /**
     * Sends up to {@code budget} packets, but no lone acknowledgement.
     *
     * @return number of packets
     */
    abstract int transmitData(long nowNs, PacketWriter out, int budget);

    /** Whether {@link #transmitData} would send something, given a budget and room. */
    abstract boolean hasData();

    /**
     * Sends the lone acknowledgement, if there is one and the budget is not 0.
     *
     * @return number of packets
     */
    abstract int transmitAnswer(PacketWriter out, int budget);

    /** Whether the last {@link #transmit} left an acknowledgement to the next one, which must follow without further input. */
    public boolean hasAnswerLeft() {
        return false;
    }

    /** Sends up to {@code budget} packets of the responses owed to the peer, and nothing else. */
    public abstract void settle(PacketWriter out, int budget);

    /**
     * Sends up to {@code budget} packets of posted work requests, and nothing else.
     *
     * @return number of packets
     */
    public abstract int sendPosted(long nowNs, PacketWriter out, int budget);

    /**
     * Makes the entry that keeps acknowledging the peer's requests when this queue pair is destroyed.
     *
     * @param untilNs when the entry expires
     * @return null if the service has no acknowledgements, or no peer is known
     */
    public abstract LingeringQueuePairs.Entry lingering(long untilNs);

    /** Whether {@link #onHandedOver} must be called once the link has accepted what was transmitted: a timer starts then. */
    public boolean awaitsHandOver() {
        return false;
    }

    /**
     * Handles that the link has accepted all packets transmitted by now.
     *
     * @param nowNs not before that happened
     */
    public void onHandedOver(long nowNs) {
    }

    // ---- states ----

    /**
     * Sets what a packet of this connection may carry however small the path MTU is, before the modify call with the path.
     *
     * @param bytes of payload; 0 if the path MTU is the limit
     */
    public final void payloadInMemory(int bytes) {
        payloadInMemory = bytes;
    }

    /**
     * Applies a checked modify call.
     *
     * @param resolved path of the address vector, if attributes carry one, else null
     */
    public final void modify(QpAttributes change, QpState to, Path resolved) {
        if (change.has(QpAttributeMask.PATH_MTU)) {
            mtu = Math.max(change.pathMtu().bytes(), payloadInMemory);
            turnPackets = TransmitBatch.wholeTrains(longestPacketBytes(), Math.min(TURN_PACKETS, TURN_BYTES / longestPacketBytes()));
        }
        if (resolved != null) {
            path = resolved;
        }
        apply(change, to);
    }

    @Override
    protected final void onTransition(QpState from, QpState to) {
        if (from == QpState.INIT && to == QpState.RTR) {
            onReadyToReceive();
        } else if (from == QpState.RTR && to == QpState.RTS) {
            onReadyToSend();
        }
    }

    /** INIT → RTR, with the attributes set. */
    abstract void onReadyToReceive();

    /** RTR → RTS, with the attributes set. */
    abstract void onReadyToSend();

    @Override
    protected final void onReset() {
        peerSeen = false;
        path = null;
        payloadInMemory = 0;
        if (congestion != null) {
            congestion.reset();
        }
        onServiceReset();
    }

    /** Resets the service's part: the queues are empty, and nothing of earlier work requests may be remembered. */
    abstract void onServiceReset();

    /**
     * Drops one reference.
     *
     * @return true if it was the last one and the queue pair must be destroyed
     */
    public boolean release(WorkQueues holder) {
        return true;
    }

    @Override
    protected void onClosed() {
    }

    @Override
    protected final void onDrained() {
        if (attributes().sqdAsyncNotify()) {
            raise(AsyncEventType.SQ_DRAINED);
        }
    }

    // ---- shared by the parts of a service ----

    /** Drops the packet that was received last; the values are those of the reason's sentence. */
    final void drop(RxeCounter why, long value1, long value2) {
        counters.count(why);
        observer().occurred(RecordedEvent.Effect.DROPPED, why.reason(), value1, value2, 0);
    }

    /**
     * Ends the packet begun last, which belongs to no work request.
     *
     * @param end offset after the payload's pad
     */
    final void finish(PacketWriter out, int at, int end) {
        out.finish(path, at, end);
        PacketEvents.sent(observer(), out, at, end + Icrc.LENGTH - at);
    }

    /**
     * Ends the packet begun last, which belongs to a work request.
     *
     * @param end   offset after the payload's pad
     * @param place {@link PacketEvents#place}
     */
    final void finish(PacketWriter out, int at, int end, long wrId, long place, boolean again) {
        out.finish(path, at, end);
        PacketEvents.sent(observer(), out, at, end + Icrc.LENGTH - at, wrId, place, again);
    }

    /** Whether packets are received: from RTR on, except in ERR. */
    final boolean mayReceive() {
        QpState now = state();
        return now.compareTo(QpState.RTR) >= 0 && now != QpState.ERR;
    }

    /**
     * Applies the device's options, before the queue pair is used.
     *
     * @param options with a line rate if congestion control is on
     */
    public void follow(QueuePairOptions options) {
        if (options.congestion().on()) {
            congestion = new CongestionPoint(options.congestion(), counters);
        }
    }

    /** Sets the interface that explains a failure, before the queue pair is used. */
    public final void explainBy(InterfaceMtu mtuOfInterface) {
        interfaceMtu = mtuOfInterface;
    }

    final InterfaceMtu interfaceMtu() {
        return interfaceMtu;
    }

    /** Reports the first request in RTR: the connection is established. */
    final void onPeerSeen() {
        if (state() == QpState.RTR && !peerSeen) {
            peerSeen = true;
            raise(AsyncEventType.COMM_EST);
        }
    }

    /** Whether the state is neither RESET nor ERR. */
    final boolean isLive() {
        return state() != QpState.ERR && state() != QpState.RESET;
    }

    /** Whether packets of send work requests may be sent. */
    boolean maySend() {
        return state() == QpState.RTS || state() == QpState.SQD;
    }

    /** P_Key of the packets of this queue pair, u16. */
    public final int pkey() {
        return pkey;
    }

    /** Sets the P_Key that packets carry, and that received ones must match, from now on. */
    public final void join(int partition) {
        pkey = partition;
    }

    /** Path to the peer; null before it is known. */
    public final Path path() {
        return path;
    }

    /** Type of the queue pair. */
    public abstract QpType type();

    /** Payload bytes of a full packet. */
    public final int mtu() {
        return mtu;
    }

    /** Whether the path MTU limits the packets. */
    final boolean isOnWire() {
        return payloadInMemory == 0;
    }

    /** Bytes of the packets that most of a long message consists of, BTH to ICRC. */
    int longestPacketBytes() {
        return Bth.LENGTH + mtu + Icrc.LENGTH;
    }

    /** Packets of one turn: as many as are sent in whole trains. */
    public final int turnPackets() {
        return turnPackets;
    }

    /** Copies data of this queue pair's work requests. */
    final ScatterGather data() {
        return data;
    }

    /** Objects that the peer's requests are executed against. */
    final RequestContext requestContext() {
        return requestContext;
    }

    final Counters<RxeCounter> counters() {
        return counters;
    }

    /** Completes send work requests of this queue pair. */
    final SendCompletions newSendCompletions() {
        return new SendCompletions(this, counters.counter(RxeCounter.RDMA_SENDS));
    }

    /** Completes receives of this queue pair. */
    final ReceiveCompletions newReceiveCompletions() {
        return new ReceiveCompletions(this, requestContext.cq(), counters.counter(RxeCounter.RDMA_RECVS));
    }
}
