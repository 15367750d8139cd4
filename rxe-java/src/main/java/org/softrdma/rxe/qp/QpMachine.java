// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.verbs.SoftCompletionQueue;
import org.softrdma.device.verbs.SoftQueuePair;
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
public abstract class QpMachine extends DeadlineHeap.Timed {
    /** The one partition of the port: the default one, as full member. */
    public static final int PKEY = 0xffff;

    /** Most packets one queue pair may send before the next one has its turn. */
    public static final int TURN_PACKETS = 64;

    private final int qpn;
    private final SoftQueuePair host;
    private final MemoryTable memory;
    private final Counters<RxeCounter> counters;
    private final QpAttributes attributes;
    private final ScatterGather data;
    private final RequestContext requestContext;

    private volatile QpState state = QpState.RESET;
    private Path path;
    private int mtu;
    private int turnPackets = TURN_PACKETS;
    /** Null without congestion control. */
    private CongestionPoint congestion;
    private boolean peerSeen;
    private boolean drained;
    private long drainEnd;

    /** The engine's mark: waits in its queue of queue pairs with something to send. */
    public boolean active;

    /** @param attributes those that mean something to the service, as they are before anybody sets them */
    QpMachine(int qpn, SoftQueuePair host, MemoryTable memory, Counters<RxeCounter> counters, QpAttributes attributes) {
        this(qpn, host, memory, counters, attributes, new RequestContext(host.pdNumber(), host.receives(), host.recvCq()));
    }

    QpMachine(int qpn, SoftQueuePair host, MemoryTable memory, Counters<RxeCounter> counters, QpAttributes attributes,
              RequestContext requestContext) {
        this.qpn = qpn;
        this.host = host;
        this.memory = memory;
        this.counters = counters;
        this.attributes = attributes;
        this.requestContext = requestContext;
        data = new ScatterGather(memory, host.pdNumber(), qpn);
    }

    // ---- input ----

    /** May packets come from where this one comes from? The edge asks before it looks any closer. @return why it is dropped, or null */
    public abstract RxeCounter checkOrigin(InboundPacket packet);

    /** A packet for this queue pair passed the edge's checks. */
    public abstract void onPacket(long nowNs, InboundPacket packet);

    /** Something was posted. */
    public final void onDoorbell() {
        if (state == QpState.ERR) {
            flush();
        } else if (state == QpState.SQE) {
            flushSends();
        }
    }

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
        out.finish(path, at, Cnp.putPacket(out.buffer(), at, PKEY, attributes.destQpn()));
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

    /** Applies a checked modify call. @param resolved the path, if attributes carry an address vector */
    public final void modify(QpAttributes change, QpState to, Path resolved) {
        QpState from = state;
        attributes.merge(change);
        if (change.has(QpAttributeMask.PATH_MTU)) {
            mtu = change.pathMtu().bytes();
            turnPackets = TransmitBatch.wholeTrains(Bth.LENGTH + mtu + Icrc.LENGTH, TURN_PACKETS);
        }
        if (resolved != null) {
            path = resolved;
        }
        if (to == QpState.RESET) {
            reset();
        } else if (to == QpState.ERR) {
            enterError();
        } else {
            if (from == QpState.INIT && to == QpState.RTR) {
                onReadyToReceive();
            } else if (from == QpState.RTR && to == QpState.RTS) {
                onReadyToSend();
            }
            state = to;
            if (from == QpState.RTS && to == QpState.SQD) {
                drainEnd = sendsBegun();
                drained = false;
                onSendComplete();
            }
        }
    }

    /** INIT → RTR, with the attributes set. */
    abstract void onReadyToReceive();

    /** RTR → RTS, with the attributes set. */
    abstract void onReadyToSend();

    /** Everything posted is forgotten, without completions (IBA vol 1 §10.3.1.1). */
    private void reset() {
        state = QpState.RESET;
        host.sends().release(host.sends().tail());
        requestContext.receives().forget();
        peerSeen = false;
        path = null;
        if (congestion != null) {
            congestion.reset();
        }
        onReset();
    }

    /** The queues are empty again; so must be what the service remembers of them. */
    abstract void onReset();

    /** One who has it open closes it. @return whether nobody is left: it is to be destroyed */
    public boolean release(SoftQueuePair holder) {
        return true;
    }

    /** The queue pair is destroyed: like one in RESET, it takes nothing any more; its lingering entry still knows what it had executed. */
    public final void close() {
        state = QpState.RESET;
        onGone();
    }

    /** The queue pair is destroyed: what the device counts of it ends. */
    void onGone() {
    }

    /** The queue pair is broken: everything posted is flushed, nothing is sent any more. */
    public void enterError() {
        boolean isNew = state != QpState.ERR;
        state = QpState.ERR;
        flush();
        if (isNew && host.sharesReceives()) {
            // From now on it takes no receive any more: whoever destroys it can stop waiting for completions. IBA vol 1 §11.6.3.1
            raise(AsyncEventType.QP_LAST_WQE_REACHED);
        }
    }

    /**
     * A send work request failed that nothing but the send queue depends on: what is behind it is flushed, receiving goes on. Not for RC.
     * IBA vol 1 §10.3.1.6; kernel rxe goes to ERR.
     */
    final void enterSendQueueError() {
        state = QpState.SQE;
        flushSends();
    }

    /** Completes whatever is posted with WR_FLUSH_ERR. */
    abstract void flush();

    /** Completes what is posted to the send queue with WR_FLUSH_ERR. */
    abstract void flushSends();

    /** A send work request is complete: in SQD, that may have been the last one to wait for. */
    final void onSendComplete() {
        if (state == QpState.SQD && !drained && host.sends().head() >= drainEnd) {
            drained = true;
            if (attributes.sqdAsyncNotify()) {
                raise(AsyncEventType.SQ_DRAINED);
            }
        }
    }

    /** First send work request that was not begun yet. */
    abstract long sendsBegun();

    /** What was set, with the PSNs of now. */
    public abstract QpAttributes query();

    // ---- what the parts of a service share ----

    public final QpState state() {
        return state;
    }

    /** Whether packets are taken: from RTR on, unless broken. */
    final boolean mayReceive() {
        QpState now = state;
        return now.compareTo(QpState.RTR) >= 0 && now != QpState.ERR;
    }

    /** From now on the queue pair takes part in congestion control. @param settings on, with a line rate */
    public void control(CongestionControl settings) {
        congestion = new CongestionPoint(settings, counters);
    }

    /** A request came: the first one in RTR says that the connection is established. */
    final void onPeerSeen() {
        if (state == QpState.RTR && !peerSeen) {
            peerSeen = true;
            raise(AsyncEventType.COMM_EST);
        }
    }

    /** Neither reset nor broken. */
    final boolean isLive() {
        return state != QpState.ERR && state != QpState.RESET;
    }

    /** Whether packets of send work requests may go out. */
    boolean maySend() {
        return state == QpState.RTS || state == QpState.SQD;
    }

    /** In SQD only what was begun before is finished. */
    final boolean mayStart(long wqe) {
        return state == QpState.RTS || wqe < drainEnd;
    }

    public final int qpn() {
        return qpn;
    }

    /** What the keys of its own work requests must belong to; a peer's requests are judged by {@link #requestContext}. */
    final int pd() {
        return host.pdNumber();
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

    /** Changed by {@link #modify} only. */
    final QpAttributes attributes() {
        return attributes;
    }

    /** Moves bytes of this queue pair's work requests. */
    final ScatterGather data() {
        return data;
    }

    /** What the peer's requests are executed against. */
    final RequestContext requestContext() {
        return requestContext;
    }

    final boolean signalAll() {
        return host.signalAll();
    }

    final SoftCompletionQueue sendCq() {
        return host.sendCq();
    }

    final MemoryTable memory() {
        return memory;
    }

    final Counters<RxeCounter> counters() {
        return counters;
    }

    public void raise(AsyncEventType type) {
        host.raise(type);
    }
}
