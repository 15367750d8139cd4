// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.softrdma.device.Counters;
import org.softrdma.device.DeadlineHeap;
import org.softrdma.device.link.Path;
import org.softrdma.device.link.ReceivedFrame;
import org.softrdma.device.link.TransmitBatch;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.verbs.SoftCompletionQueue;
import org.softrdma.device.verbs.SoftQueuePair;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpState;
import org.softrdma.wire.Bth;
import org.softrdma.wire.Icrc;
import org.softrdma.wire.Opcode;

/**
 * The protocol state of one RC queue pair. Pure: packets, time and commands come in, packets and completions go out, and nothing here
 * knows a socket, a thread or a clock. {@link Requester} sends requests, {@link Completer} takes the responses to them, {@link Responder}
 * executes the peer's requests; this class holds what they share and moves between states.
 */
final class RcMachine extends DeadlineHeap.Timed {
    /** The one partition of the port: the default one, as full member. */
    static final int PKEY = 0xffff;

    private final int qpn;
    private final SoftQueuePair host;
    private final MemoryTable memory;
    private final Counters<RxeCounter> counters;
    private final QpAttributes attributes = new QpAttributes();
    private final SendState sends;
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;
    private final MemorySegment scratch = Arena.ofAuto().allocate(8, 8);

    private volatile QpState state = QpState.RESET;
    private Path path;
    private int mtu;
    private int turnPackets = RxeEngine.TURN_PACKETS;
    private int maxDestRdAtomic;
    private boolean peerSeen;
    private boolean drained;
    private long drainEnd;

    /** The engine's mark: waits in its queue of queue pairs with something to send. */
    boolean active;

    RcMachine(int qpn, SoftQueuePair host, MemoryTable memory, Counters<RxeCounter> counters) {
        this.qpn = qpn;
        this.host = host;
        this.memory = memory;
        this.counters = counters;
        ScatterGather data = new ScatterGather(memory, host.softPd().number(), qpn);
        sends = new SendState(host.sends());
        requester = new Requester(this, sends, data);
        completer = new Completer(this, sends, data);
        responder = new Responder(this, host.receives(), data);
    }

    // ---- input ----

    /** A packet for this queue pair passed the edge's checks. */
    void onPacket(long nowNs, ReceivedFrame frame) {
        QpState now = state;
        if (now.compareTo(QpState.RTR) < 0 || now == QpState.ERR) {
            counters.count(RxeCounter.DROP_QP_STATE);
            return;
        }
        int opcode = Bth.opcode(frame.buffer(), frame.offset());
        if (opcode == Opcode.CNP) {
            // Neither request nor response, and its PSN means nothing. There is no rate here to lower. IBA vol 1 annex A17
            counters.count(RxeCounter.DROP_CNP);
        } else if (Opcode.has(opcode, Opcode.RESPONSE)) {
            if (now == QpState.RTR) {
                counters.count(RxeCounter.DROP_QP_STATE);
                return;
            }
            completer.onResponse(nowNs, frame);
        } else {
            if (now == QpState.RTR && !peerSeen) {
                peerSeen = true;
                host.raise(AsyncEventType.COMM_EST);
            }
            responder.onRequest(frame);
        }
    }

    /** Something was posted. */
    void onDoorbell() {
        if (state == QpState.ERR) {
            flush();
        }
    }

    @Override
    public void onTimer(long nowNs) {
        completer.onTimer(nowNs);
    }

    @Override
    public long deadlineNs() {
        return completer.deadlineNs();
    }

    // ---- output ----

    /**
     * Sends up to {@code budget} packets: data that the peer asked for, then requests, and the acknowledgement last. Being the shortest, it
     * ends the train that an answer begins, and both cross the host in one piece.
     *
     * @return how many
     */
    int transmit(long nowNs, PacketWriter out, int budget) {
        int sent = responder.transmitData(out, budget);
        int forRequests = budget - sent - (responder.owes() ? 1 : 0);
        sent += requester.transmit(nowNs, out, forRequests);
        return sent + responder.transmit(out, budget - sent);
    }

    // ---- states ----

    /** Applies a checked modify call. @param resolved the path, if attributes carry an address vector */
    void modify(QpAttributes change, QpState to, Path resolved) {
        QpState from = state;
        adopt(change);
        if (resolved != null) {
            path = resolved;
        }
        if (to == QpState.RESET) {
            reset();
        } else if (to == QpState.ERR) {
            enterError();
        } else if (from == QpState.INIT && to == QpState.RTR) {
            // Rounded up like the kernel's: a kernel peer rounds its own depth up, and then uses it.
            maxDestRdAtomic = roundUp(attributes.maxDestRdAtomic());
            responder.start(attributes.rqPsn(), Math.max(1, maxDestRdAtomic));
            state = to;
        } else if (from == QpState.RTR && to == QpState.RTS) {
            sends.reset(attributes.sqPsn());
            requester.reset();
            completer.reset();
            state = to;
        } else if (to == QpState.SQD && from == QpState.RTS) {
            state = to;
            drainEnd = sends.started;
            drained = false;
            onSendComplete();
        } else {
            state = to;
        }
    }

    private static int roundUp(int depth) {
        return depth <= 1 ? depth : Integer.highestOneBit(depth - 1) << 1;
    }

    private void adopt(QpAttributes change) {
        if (change.has(QpAttributeMask.ACCESS_FLAGS)) {
            attributes.accessFlags(change.accessFlags());
        }
        if (change.has(QpAttributeMask.PKEY_INDEX)) {
            attributes.pkeyIndex(change.pkeyIndex());
        }
        if (change.has(QpAttributeMask.PORT)) {
            attributes.port(change.port());
        }
        if (change.has(QpAttributeMask.AV)) {
            attributes.addressVector(change.addressVector());
        }
        if (change.has(QpAttributeMask.PATH_MTU)) {
            attributes.pathMtu(change.pathMtu());
            mtu = change.pathMtu().bytes();
            turnPackets = TransmitBatch.wholeTrains(Bth.LENGTH + mtu + Icrc.LENGTH, RxeEngine.TURN_PACKETS);
        }
        if (change.has(QpAttributeMask.DEST_QPN)) {
            attributes.destQpn(change.destQpn());
        }
        if (change.has(QpAttributeMask.RQ_PSN)) {
            attributes.rqPsn(change.rqPsn());
        }
        if (change.has(QpAttributeMask.SQ_PSN)) {
            attributes.sqPsn(change.sqPsn());
        }
        if (change.has(QpAttributeMask.MAX_DEST_RD_ATOMIC)) {
            attributes.maxDestRdAtomic(change.maxDestRdAtomic());
        }
        if (change.has(QpAttributeMask.MAX_QP_RD_ATOMIC)) {
            attributes.maxRdAtomic(change.maxRdAtomic());
        }
        if (change.has(QpAttributeMask.MIN_RNR_TIMER)) {
            attributes.minRnrTimer(change.minRnrTimer());
        }
        if (change.has(QpAttributeMask.TIMEOUT)) {
            attributes.timeout(change.timeout());
        }
        if (change.has(QpAttributeMask.RETRY_CNT)) {
            attributes.retryCount(change.retryCount());
        }
        if (change.has(QpAttributeMask.RNR_RETRY)) {
            attributes.rnrRetry(change.rnrRetry());
        }
        if (change.has(QpAttributeMask.EN_SQD_ASYNC_NOTIFY)) {
            attributes.sqdAsyncNotify(change.sqdAsyncNotify());
        }
    }

    /** What was set, with the PSNs of now. */
    QpAttributes query() {
        QpAttributes now = new QpAttributes().state(state).curState(state)
            .accessFlags(attributes.accessFlags()).pkeyIndex(attributes.pkeyIndex()).port(attributes.port())
            .destQpn(attributes.destQpn()).maxRdAtomic(attributes.maxRdAtomic()).maxDestRdAtomic(attributes.maxDestRdAtomic())
            .minRnrTimer(attributes.minRnrTimer()).timeout(attributes.timeout()).retryCount(attributes.retryCount())
            .rnrRetry(attributes.rnrRetry()).sqdAsyncNotify(attributes.sqdAsyncNotify())
            .rqPsn(responder.expectedPsn()).sqPsn(sends.nextPsn);
        if (attributes.addressVector() != null) {
            now.addressVector(attributes.addressVector());
        }
        return attributes.pathMtu() == null ? now : now.pathMtu(attributes.pathMtu());
    }

    /** Everything posted is forgotten, without completions (IBA vol 1 §10.3.1.1). */
    private void reset() {
        state = QpState.RESET;
        host.sends().release(host.sends().tail());
        host.receives().release(host.receives().tail());
        sends.reset(0);
        requester.reset();
        completer.reset();
        responder.dropResponses();
        peerSeen = false;
        path = null;
    }

    /** The queue pair is destroyed: like one in RESET, it takes nothing any more; its ghost still knows what it had executed. */
    void close() {
        state = QpState.RESET;
    }

    /** The queue pair is broken: everything posted is flushed, nothing is sent any more. */
    void enterError() {
        responder.dropResponses();
        enterErrorAfterResponses();
    }

    /** As {@link #enterError}, but what the responder has queued still goes out: the NAK that tells the peer why. */
    void enterErrorAfterResponses() {
        state = QpState.ERR;
        flush();
    }

    private void flush() {
        completer.flush();
        responder.flush();
    }

    /** A send work request is complete: in SQD, that may have been the last one to wait for. */
    void onSendComplete() {
        if (state == QpState.SQD && !drained && sends.ring.head() >= drainEnd) {
            drained = true;
            if (attributes.sqdAsyncNotify()) {
                host.raise(AsyncEventType.SQ_DRAINED);
            }
        }
    }

    // ---- what the three parts share ----

    QpState state() {
        return state;
    }

    /** Neither reset nor broken. */
    boolean isLive() {
        return state != QpState.ERR && state != QpState.RESET;
    }

    boolean maySend() {
        return (state == QpState.RTS || state == QpState.SQD) && !completer.waitsForReceiver();
    }

    /** In SQD only what was begun before is finished. */
    boolean mayStart(long wqe) {
        return state == QpState.RTS || wqe < drainEnd;
    }

    int qpn() {
        return qpn;
    }

    int pd() {
        return host.softPd().number();
    }

    Path path() {
        return path;
    }

    int mtu() {
        return mtu;
    }

    /** Packets of one turn: as many as leave in whole trains. */
    int turnPackets() {
        return turnPackets;
    }

    int destQpn() {
        return attributes.destQpn();
    }

    int accessFlags() {
        return attributes.accessFlags();
    }

    int maxRdAtomic() {
        return attributes.maxRdAtomic();
    }

    int maxDestRdAtomic() {
        return maxDestRdAtomic;
    }

    int minRnrTimer() {
        return attributes.minRnrTimer();
    }

    int timeout() {
        return attributes.timeout();
    }

    int retryCount() {
        return attributes.retryCount();
    }

    int rnrRetry() {
        return attributes.rnrRetry();
    }

    boolean signalAll() {
        return host.signalAll();
    }

    SoftCompletionQueue sendCq() {
        return host.sendCq();
    }

    SoftCompletionQueue recvCq() {
        return host.recvCq();
    }

    MemoryTable memory() {
        return memory;
    }

    Counters<RxeCounter> counters() {
        return counters;
    }

    Requester requester() {
        return requester;
    }

    Completer completer() {
        return completer;
    }

    Responder responder() {
        return responder;
    }

    void raise(AsyncEventType type) {
        host.raise(type);
    }

    /** Eight bytes holding {@code value} in this host's order; valid until the next call. */
    MemorySegment hostOrder(long value) {
        scratch.set(ValueLayout.JAVA_LONG, 0, value);
        return scratch;
    }
}
