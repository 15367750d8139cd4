// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.QueuePairCore;
import org.softrdma.device.qp.ReceiveCompletions;
import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.link.Path;
import org.softrdma.link.TransmitBatch;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Cnp;
import org.softrdma.wire.roce.Icrc;

/**
 * The protocol state of one queue pair, of whatever service: what every service has, and what the engine and the edge know of it. Pure:
 * packets, time and commands come in, packets and completions go out, and nothing here knows a socket, a thread or a clock.
 */
public abstract class QpMachine extends QueuePairCore {
    /** The one partition of the port: the default one, as full member. */
    public static final int PKEY = 0xffff;

    /** Most packets one queue pair may send before the next one has its turn. */
    public static final int TURN_PACKETS = 64;

    private final Counters<RxeCounter> counters;
    private final ScatterGather data;
    private final RequestContext requestContext;

    private Path path;
    private int mtu;
    private int turnPackets = TURN_PACKETS;
    /** Null without congestion control. */
    private CongestionPoint congestion;
    private boolean peerSeen;

    /** The engine's mark: waits in its queue of queue pairs with something to send. */
    public boolean active;

    /** @param attributes those that mean something to the service, as they are before anybody sets them */
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

    /** May packets come from where this one comes from? The edge asks before it looks any closer. @return why it is dropped, or null */
    public abstract RxeCounter checkOrigin(InboundPacket packet);

    /** A packet for this queue pair passed the edge's checks. */
    public abstract void onPacket(long nowNs, InboundPacket packet);

    /** A packet for this queue pair was marked on its way: a switch's queue is long. */
    public final void onCongestionMark(long nowNs) {
        counters.count(RxeCounter.NP_ECN_MARKED_ROCE_PACKETS);
        if (congestion != null) {
            congestion.onMark(nowNs);
        }
    }

    /** A CNP: packets of ours were marked. Neither request nor response, and its PSN means nothing. IBA vol 1 annex A17 §A17.9.3 */
    public final void onCongestionNotification(long nowNs) {
        if (!mayReceive()) {
            counters.count(RxeCounter.DROP_QP_STATE);
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

    /** The time of {@link #serviceDeadlineNs} may have come. */
    abstract void onServiceTimer(long nowNs);

    // ---- output ----

    @Override
    public final long deadlineNs() {
        long serviceNs = serviceDeadlineNs();
        return congestion == null ? serviceNs : Math.min(serviceNs, congestion.deadlineNs());
    }

    abstract long serviceDeadlineNs();

    /** Sends up to {@code budget} packets. @return how many */
    public final int transmit(long nowNs, PacketWriter out, int budget) {
        return congestion == null ? transmitFreely(nowNs, out, budget) : transmitAtRate(nowNs, out, budget);
    }

    /** A notification first, then as much data as the rate allows; acknowledgements are nobody's congestion. */
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
        out.finish(path, at, Cnp.putPacket(out.buffer(), at, PKEY, attributes().destQpn()));
        counters.count(RxeCounter.NP_CNP_SENT);
        return 1;
    }

    /** {@link #transmit} without a rate to keep. */
    abstract int transmitFreely(long nowNs, PacketWriter out, int budget);

    /** Sends up to {@code budget} packets, but no acknowledgement that stands alone. @return how many */
    abstract int transmitData(long nowNs, PacketWriter out, int budget);

    /** Whether {@link #transmitData} would send something, given the room. */
    abstract boolean hasData();

    /** Sends the acknowledgement that stands alone, if there is one, and the budget is not 0. @return packets sent */
    abstract int transmitAnswer(PacketWriter out, int budget);

    /** Sends up to {@code budget} of the answers the peer is owed, and nothing else. */
    public abstract void settle(PacketWriter out, int budget);

    /**
     * Makes the entry that keeps acknowledging the peer's requests when this queue pair is destroyed.
     *
     * @param untilNs when the entry expires
     * @return null if the service has no acknowledgements, or no peer is known
     */
    public abstract LingeringQueuePairs.Entry lingering(long untilNs);

    // ---- states ----

    /** Applies a checked modify call. @param resolved path of the address vector, if attributes carry one, else null */
    public final void modify(QpAttributes change, QpState to, Path resolved) {
        if (change.has(QpAttributeMask.PATH_MTU)) {
            mtu = change.pathMtu().bytes();
            turnPackets = TransmitBatch.wholeTrains(Bth.LENGTH + mtu + Icrc.LENGTH, TURN_PACKETS);
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
        if (congestion != null) {
            congestion.reset();
        }
        onServiceReset();
    }

    /** Resets the service's part: the queues are empty, and nothing of earlier work requests may be remembered. */
    abstract void onServiceReset();

    /** Drops one reference. @return true if it was the last one and the queue pair must be destroyed */
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

    // ---- what the parts of a service share ----

    /** Whether packets are taken: from RTR on, unless broken. */
    final boolean mayReceive() {
        QpState now = state();
        return now.compareTo(QpState.RTR) >= 0 && now != QpState.ERR;
    }

    /** From now on the queue pair takes part in congestion control. @param settings on, with a line rate */
    public void control(CongestionControl settings) {
        congestion = new CongestionPoint(settings, counters);
    }

    /** A request came: the first one in RTR says that the connection is established. */
    final void onPeerSeen() {
        if (state() == QpState.RTR && !peerSeen) {
            peerSeen = true;
            raise(AsyncEventType.COMM_EST);
        }
    }

    /** Neither reset nor broken. */
    final boolean isLive() {
        return state() != QpState.ERR && state() != QpState.RESET;
    }

    /** Whether packets of send work requests may go out. */
    boolean maySend() {
        return state() == QpState.RTS || state() == QpState.SQD;
    }

    /** Where packets go, and come from; null before it is known. */
    public final Path path() {
        return path;
    }

    /** Payload bytes of a full packet. */
    final int mtu() {
        return mtu;
    }

    /** Packets of one turn: as many as leave in whole trains. */
    public final int turnPackets() {
        return turnPackets;
    }

    /** Moves bytes of this queue pair's work requests. */
    final ScatterGather data() {
        return data;
    }

    /** What the peer's requests are executed against. */
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
