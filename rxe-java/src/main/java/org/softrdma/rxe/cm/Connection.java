// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.cm.CmApr;
import org.softrdma.wire.cm.CmDreq;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmMra;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmRep;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.mad.Mad;

/**
 * One connection, from the REQ to the end of timewait. The {@link CommunicationManager} finds it by the ids of a message, and has checked
 * that those and the address are the peer's; what a message does is decided here, by the state.
 *
 * <pre>
 *  active    REQ_SENT ─REP─▶ REP_RECEIVED ─confirm─▶ ESTABLISHED ─disconnect─▶ DREQ_SENT ─DREP─▶ TIMEWAIT ▶ CLOSED
 *  passive   REQ_RECEIVED ─accept─▶ REP_SENT ─RTU, packet─▶ ESTABLISHED ─DREQ─▶ DREQ_RECEIVED ─disconnect─▶ TIMEWAIT ▶ CLOSED
 * </pre>
 *
 * <p>In a state that waits for the peer the message that brought it there is repeated, until there was an answer or it was sent often
 * enough. Source: IBA vol 1 §12.9.
 */
public final class Connection extends DeadlineHeap.Timed implements Pacing.Request {
    /** How long a peer is told to wait for a consumer that thinks: 69 s, as Linux. */
    private static final int MRA_SERVICE_TIMEOUT = 24;

    private static final ConnectionListener NO_LISTENER = new ConnectionListener() {
        @Override
        public void onReply(Connection connection) {
        }

        @Override
        public void onEstablished(Connection connection) {
        }

        @Override
        public void onRejected(Connection connection, int reason, byte[] privateData) {
        }

        @Override
        public void onUnreachable(Connection connection) {
        }

        @Override
        public void onPortUnreachable(Connection connection) {
        }

        @Override
        public void onDisconnectRequest(Connection connection) {
        }

        @Override
        public void onDisconnected(Connection connection, boolean timedOut) {
        }

        @Override
        public void onTimewaitExit(Connection connection) {
        }
    };

    private final CommunicationManager manager;
    private final boolean active;
    private final int localId;
    private final GidPair gids;
    private final ReqFields request;
    private final long requestTransaction;
    private final int maxRetries;
    private final long intervalNs;
    /** The REQ offered an alternate path. */
    private final boolean alternatePath;
    private ConnectionListener listener = NO_LISTENER;

    private ConnectionState state;
    private boolean peerKnown;
    private int remoteId;
    private long remoteGuid;
    private RepFields reply;
    /** What is repeated, and once more when the peer repeats what it answered. */
    private ByteBuffer sent;
    private int retriesLeft;
    private long deadlineNs = DeadlineHeap.NEVER;
    private long disconnectTransaction;

    /** The active side. */
    Connection(CommunicationManager manager, int localId, GidPair gids, ReqFields request, ConnectionListener listener) {
        this.manager = manager;
        active = true;
        this.localId = localId;
        this.gids = gids;
        this.request = request;
        this.listener = listener;
        requestTransaction = manager.transactionOf(localId);
        maxRetries = manager.settings().maxRetries();
        intervalNs = manager.settings().requestIntervalNs();
        alternatePath = false;
        state = ConnectionState.REQ_SENT;
    }

    /** The passive side, made for a REQ. */
    Connection(CommunicationManager manager, int localId, GidPair gids, ByteBuffer mad) {
        this.manager = manager;
        active = false;
        this.localId = localId;
        this.gids = gids;
        request = ReqFields.of(mad);
        requestTransaction = Mad.transactionId(mad, 0);
        maxRetries = CmReq.MAX_CM_RETRIES.get(mad, 0);
        intervalNs = CmSettings.intervalNs(CmReq.LOCAL_RESPONSE_TIMEOUT.get(mad, 0));
        alternatePath = CmReq.ALTERNATE_LOCAL_LID.get(mad, 0) != 0 || CmReq.ALTERNATE_LOCAL_GID_LOW.getLong(mad, 0) != 0;
        peerKnown = true;
        remoteId = CmMessage.LOCAL_COMM_ID.get(mad, 0);
        remoteGuid = CmReq.CA_GUID.getLong(mad, 0);
        state = ConnectionState.REQ_RECEIVED;
    }

    // ---- what it is ----

    public ConnectionState state() {
        return state;
    }

    /** Whether this side asked for the connection. */
    public boolean isActive() {
        return active;
    }

    /** How the messages travel. */
    public GidPair gids() {
        return gids;
    }

    /** Address of ours that the messages come to. */
    public Gid local() {
        return gids.local();
    }

    /** Address that the peer's messages come from. */
    @Override
    public Gid remote() {
        return gids.remote();
    }

    /** What was asked for, by either side. */
    public ReqFields request() {
        return request;
    }

    /** What was answered, by either side; null before. */
    public RepFields reply() {
        return reply;
    }

    int localId() {
        return localId;
    }

    /** Whether remote id, adapter and queue pair are known. */
    boolean isPeerKnown() {
        return peerKnown;
    }

    int remoteId() {
        return remoteId;
    }

    long remoteGuid() {
        return remoteGuid;
    }

    /** Meaningful if the peer is known. */
    int remoteQpn() {
        return active ? reply.qpn() : request.qpn();
    }

    /** Whether that is the transaction of its REQ. */
    boolean hasRequestTransaction(long transaction) {
        return requestTransaction == transaction;
    }

    /** Whether that is our queue pair; no before there is one. */
    boolean isQueuePair(int qpn) {
        return (active || reply != null) && qpn == localQpn();
    }

    private int localQpn() {
        return active ? request.qpn() : reply.qpn();
    }

    /** Who is told from now on. */
    public void setListener(ConnectionListener newListener) {
        listener = newListener;
    }

    @Override
    public long deadlineNs() {
        return deadlineNs;
    }

    // ---- commands ----

    /** Active side: the first REQ goes out. */
    void start(long nowNs) {
        ByteBuffer mad = newMessage(CmMessage.REQ, requestTransaction);
        CmSettings settings = manager.settings();
        CmReq.CA_GUID.set(mad, 0, settings.caGuid());
        CmReq.REMOTE_RESPONSE_TIMEOUT.set(mad, 0, settings.responseTimeout());
        CmReq.LOCAL_RESPONSE_TIMEOUT.set(mad, 0, settings.responseTimeout());
        CmReq.MAX_CM_RETRIES.set(mad, 0, settings.maxRetries());
        request.put(mad);
        sendPaced(nowNs, mad);
    }

    /**
     * Passive side: yes. The queue pair must be ready to receive by now; the peer may send before its RTU comes.
     *
     * @throws VerbsException EINVAL in any other state than {@link ConnectionState#REQ_RECEIVED}: the peer may have given up in between
     */
    public void accept(long nowNs, RepFields answer) {
        require("accept", state == ConnectionState.REQ_RECEIVED);
        reply = answer;
        state = ConnectionState.REP_SENT;
        manager.awaitPacket(this, answer.qpn());
        ByteBuffer mad = newMessage(CmMessage.REP, requestTransaction);
        CmRep.CA_GUID.set(mad, 0, manager.settings().caGuid());
        CmRep.FAILOVER.set(mad, 0, alternatePath ? 1 : 0);
        answer.put(mad);
        sendUntilAnswered(nowNs, mad);
    }

    /**
     * Either side: no. For a REQ or REP that waits for its answer.
     *
     * @param reason      {@link CmRejectReason}
     * @param privateData up to 148 bytes
     * @throws VerbsException EINVAL in other states
     */
    public void reject(long nowNs, int reason, byte[] privateData) {
        require("reject", state == ConnectionState.REQ_RECEIVED || state == ConnectionState.REP_RECEIVED);
        ByteBuffer mad = newMessage(CmMessage.REJ, requestTransaction);
        CmRej.MESSAGE.set(mad, 0, active ? CmMessage.ANSWERS_REP : CmMessage.ANSWERS_REQ);
        CmRej.REASON.set(mad, 0, reason);
        CmMessage.putPrivateData(mad, 0, privateData);
        manager.send(gids, mad);
        close();
    }

    /**
     * Active side: our queue pair is ready to send and to receive.
     *
     * @param privateData up to 224 bytes; rdma_cm shows them to nobody
     * @throws VerbsException EINVAL in any other state than {@link ConnectionState#REP_RECEIVED}
     */
    public void confirm(long nowNs, byte[] privateData) {
        require("confirm", state == ConnectionState.REP_RECEIVED);
        state = ConnectionState.ESTABLISHED;
        sent = newMessage(CmMessage.RTU, requestTransaction);
        CmMessage.putPrivateData(sent, 0, privateData);
        manager.send(gids, sent);
    }

    /** Asks for the end, or agrees to it: whichever it is in this state. In states that have no end to come it does nothing. */
    public void disconnect(long nowNs) {
        switch (state) {
            case ESTABLISHED -> sendDreq(nowNs);
            case DREQ_RECEIVED -> {
                sendDrep(disconnectTransaction);
                enterTimewait(nowNs);
            }
            default -> { }
        }
    }

    /** The consumer is gone: nobody is told any more, and the peer learns it as soon as it can. */
    public void abandon(long nowNs) {
        listener = NO_LISTENER;
        switch (state) {
            case REQ_SENT -> {
                if (!manager.pacing().isWaiting(this)) {
                    sendTimeoutRej();
                }
                close();
            }
            case REQ_RECEIVED, REP_RECEIVED -> reject(nowNs, CmRejectReason.CONSUMER, new byte[0]);
            case REP_SENT -> {
                sendUnsolicitedRej(CmRejectReason.CONSUMER);
                close();
            }
            default -> disconnect(nowNs);
        }
    }

    private void require(String verb, boolean allowed) {
        if (!allowed) {
            throw new VerbsException(Errno.EINVAL, "rdma_" + verb, "the connection from " + request.local() + " to " + request.remote()
                + " is " + state + "; there is nothing to " + verb + ", or no more");
        }
    }

    // ---- messages of the peer ----

    /** The REQ that this connection was made for came again. */
    void onDuplicateRequest() {
        manager.counters().count(CmCounter.CM_DUPLICATES);
        if (state == ConnectionState.REQ_RECEIVED) {
            sendMra(CmMessage.ANSWERS_REQ);
        } else if (state == ConnectionState.REP_SENT) {
            // The REP was lost, or is late. IBA vol 1 §12.9.8.3; Linux waits for its timer instead.
            manager.send(gids, sent);
        }
    }

    public void onReply(long nowNs, ByteBuffer mad) {
        switch (state) {
            case REQ_SENT -> {
                manager.pacing().onAnswered(nowNs, this);
                reply = RepFields.of(mad);
                remoteId = CmMessage.LOCAL_COMM_ID.get(mad, 0);
                remoteGuid = CmRep.CA_GUID.getLong(mad, 0);
                peerKnown = true;
                state = ConnectionState.REP_RECEIVED;
                stopRepeating();
                manager.addPeer(this);
                listener.onReply(this);
            }
            case REP_RECEIVED -> {
                manager.counters().count(CmCounter.CM_DUPLICATES);
                sendMra(CmMessage.ANSWERS_REP);
            }
            case ESTABLISHED -> {
                manager.counters().count(CmCounter.CM_DUPLICATES);
                if (active) {
                    manager.send(gids, sent);
                }
            }
            default -> manager.counters().count(CmCounter.CM_DROP_WRONG_STATE);
        }
    }

    void onReady() {
        if (state == ConnectionState.REP_SENT) {
            establish();
        } else {
            manager.counters().count(state == ConnectionState.ESTABLISHED ? CmCounter.CM_DUPLICATES : CmCounter.CM_DROP_WRONG_STATE);
        }
    }

    /** A packet came to our queue pair: the peer is ready, though its RTU was lost or is late. IBA vol 1 §12.9.7.2 */
    public void onPacket() {
        if (state == ConnectionState.REP_SENT) {
            manager.counters().count(CmCounter.CM_ESTABLISHED_BY_PACKET);
            establish();
        }
    }

    private void establish() {
        state = ConnectionState.ESTABLISHED;
        stopRepeating();
        manager.stopAwaitingPacket(reply.qpn(), this);
        listener.onEstablished(this);
    }

    /** The peer asks for more time. */
    void onMra(long nowNs, ByteBuffer mad) {
        int message = CmMra.MESSAGE.get(mad, 0);
        if (state == ConnectionState.REQ_SENT && message == CmMessage.ANSWERS_REQ
            || state == ConnectionState.REP_SENT && message == CmMessage.ANSWERS_REP) {
            manager.pacing().leave(this);
            CmSettings settings = manager.settings();
            setDeadline(nowNs + CmSettings.intervalNs(CmMra.SERVICE_TIMEOUT.get(mad, 0))
                + CmSettings.ns(settings.ackTimeout(settings.ackDelay())));
        } else {
            manager.counters().count(CmCounter.CM_DROP_WRONG_STATE);
        }
    }

    void onRejection(long nowNs, ByteBuffer mad) {
        int reason = CmRej.REASON.get(mad, 0);
        byte[] privateData = CmMessage.privateData(mad, 0);
        manager.pacing().onAnswered(nowNs, this);
        switch (state) {
            case REQ_SENT, REQ_RECEIVED, REP_SENT -> closeRejected(reason, privateData);
            case REP_RECEIVED, ESTABLISHED, DREQ_SENT, DREQ_RECEIVED -> {
                // Packets may have been under way.
                enterTimewait(nowNs);
                listener.onRejected(this, reason, privateData);
            }
            default -> manager.counters().count(CmCounter.CM_DROP_WRONG_STATE);
        }
    }

    public void onDisconnectRequest(long nowNs, ByteBuffer mad) {
        long transaction = Mad.transactionId(mad, 0);
        if (!isQueuePair(CmDreq.REMOTE_QPN.get(mad, 0))) {
            manager.counters().count(CmCounter.CM_DROP_WRONG_PEER);
            return;
        }
        switch (state) {
            case REP_SENT, REP_RECEIVED, ESTABLISHED -> {
                // In REP_SENT: the RTU was lost, and the end comes before the first packet.
                if (!active) {
                    manager.stopAwaitingPacket(reply.qpn(), this);
                }
                disconnectTransaction = transaction;
                state = ConnectionState.DREQ_RECEIVED;
                stopRepeating();
                listener.onDisconnectRequest(this);
            }
            case DREQ_SENT -> {
                // Both ask at the same time, so both know already. IBA vol 1 §12.9.7.1
                sendDrep(transaction);
                manager.pacing().onAnswered(nowNs, this);
                finishDisconnect(nowNs, false);
            }
            case DREQ_RECEIVED -> manager.counters().count(CmCounter.CM_DUPLICATES);
            case TIMEWAIT -> {
                manager.counters().count(CmCounter.CM_DUPLICATES);
                sendDrep(transaction);
            }
            default -> manager.counters().count(CmCounter.CM_DROP_WRONG_STATE);
        }
    }

    /** The REQ came back: the peer's host has nobody who would take it. */
    void onPortUnreachable() {
        if (!active || state != ConnectionState.REQ_SENT) {
            manager.counters().count(CmCounter.CM_DROP_WRONG_STATE);
            return;
        }
        manager.counters().count(CmCounter.CM_RETURNED);
        close();
        listener.onPortUnreachable(this);
    }

    void onDisconnectReply(long nowNs) {
        if (state == ConnectionState.DREQ_SENT) {
            manager.pacing().onAnswered(nowNs, this);
            finishDisconnect(nowNs, false);
        } else {
            manager.counters().count(CmCounter.CM_DROP_WRONG_STATE);
        }
    }

    /** There are no alternate paths here. */
    void onAlternatePath(ByteBuffer lap) {
        if (state != ConnectionState.ESTABLISHED) {
            manager.counters().count(CmCounter.CM_DROP_WRONG_STATE);
            return;
        }
        ByteBuffer mad = newMessage(CmMessage.APR, Mad.transactionId(lap, 0));
        CmApr.STATUS.set(mad, 0, CmApr.UNSUPPORTED);
        manager.send(gids, mad);
    }

    /** The peer's queue pair asks for a new connection: it has forgotten this one, or is about to. */
    void onStale(long nowNs) {
        manager.counters().count(CmCounter.CM_STALE_CONNECTIONS);
        switch (state) {
            case ESTABLISHED -> sendDreq(nowNs);
            case REQ_RECEIVED, REP_RECEIVED, REP_SENT -> {
                if (state != ConnectionState.REQ_RECEIVED) {
                    sendUnsolicitedRej(CmRejectReason.STALE_CONNECTION);
                }
                closeRejected(CmRejectReason.STALE_CONNECTION, new byte[CmRej.PRIVATE_DATA_LENGTH]);
            }
            default -> { }
        }
    }

    // ---- time ----

    @Override
    public void onTimer(long nowNs) {
        deadlineNs = DeadlineHeap.NEVER;
        if (state == ConnectionState.TIMEWAIT) {
            close();
            listener.onTimewaitExit(this);
        } else if (retriesLeft > 0) {
            retriesLeft--;
            manager.counters().count(CmCounter.CM_REPEATED);
            manager.send(gids, sent);
            setDeadline(nowNs + intervalNs);
        } else {
            manager.counters().count(CmCounter.CM_TIMEOUTS);
            switch (state) {
                case REQ_SENT, REP_SENT -> {
                    sendTimeoutRej();
                    close();
                    listener.onUnreachable(this);
                }
                case DREQ_SENT -> finishDisconnect(nowNs, true);
                default -> throw new IllegalStateException("a deadline in " + state);
            }
        }
    }

    private void sendUntilAnswered(long nowNs, ByteBuffer mad) {
        sent = mad;
        retriesLeft = maxRetries;
        onTurn(nowNs);
    }

    /** As {@link #sendUntilAnswered}, for a message that nothing of the peer's asked for. */
    private void sendPaced(long nowNs, ByteBuffer mad) {
        sent = mad;
        retriesLeft = maxRetries;
        manager.pacing().submit(nowNs, this);
    }

    @Override
    public void onTurn(long nowNs) {
        manager.send(gids, sent);
        setDeadline(nowNs + intervalNs);
    }

    private void setDeadline(long ns) {
        deadlineNs = ns;
        manager.timers().update(this);
    }

    private void stopRepeating() {
        deadlineNs = DeadlineHeap.NEVER;
        manager.pacing().leave(this);
    }

    // ---- the end ----

    private void sendDreq(long nowNs) {
        state = ConnectionState.DREQ_SENT;
        ByteBuffer mad = newMessage(CmMessage.DREQ, manager.transactionOf(localId));
        CmDreq.REMOTE_QPN.set(mad, 0, remoteQpn());
        sendPaced(nowNs, mad);
    }

    private void finishDisconnect(long nowNs, boolean timedOut) {
        enterTimewait(nowNs);
        listener.onDisconnected(this, timedOut);
    }

    private void enterTimewait(long nowNs) {
        state = ConnectionState.TIMEWAIT;
        manager.pacing().leave(this);
        manager.releasePeerQpn(this);
        CmSettings settings = manager.settings();
        setDeadline(nowNs + CmSettings.timewaitNs(active ? settings.ackTimeout(reply.targetAckDelay()) : request.ackTimeout()));
    }

    private void closeRejected(int reason, byte[] privateData) {
        close();
        listener.onRejected(this, reason, privateData);
    }

    /** From now on nothing finds this connection. */
    void close() {
        state = ConnectionState.CLOSED;
        stopRepeating();
        manager.forget(this);
    }

    // ---- messages of ours ----

    private ByteBuffer newMessage(int attribute, long transaction) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(mad, 0, attribute, transaction);
        CmMessage.LOCAL_COMM_ID.set(mad, 0, localId);
        if (attribute != CmMessage.REQ) {
            CmMessage.REMOTE_COMM_ID.set(mad, 0, remoteId);
        }
        return mad;
    }

    private void sendMra(int message) {
        ByteBuffer mad = newMessage(CmMessage.MRA, requestTransaction);
        CmMra.MESSAGE.set(mad, 0, message);
        CmMra.SERVICE_TIMEOUT.set(mad, 0, MRA_SERVICE_TIMEOUT);
        manager.send(gids, mad);
    }

    private void sendDrep(long transaction) {
        manager.send(gids, newMessage(CmMessage.DREP, transaction));
    }

    private void sendUnsolicitedRej(int reason) {
        manager.send(gids, newUnsolicitedRej(reason));
    }

    /** Nobody answers: if the peer hears us after all, it shall not wait. It may not know our id. IBA vol 1 §12.6.7.2, reason 4 */
    private void sendTimeoutRej() {
        ByteBuffer mad = newUnsolicitedRej(CmRejectReason.TIMEOUT);
        CmRej.INFO_LENGTH.set(mad, 0, Long.BYTES);
        CmRej.INFO_GUID.set(mad, 0, manager.settings().caGuid());
        manager.send(gids, mad);
    }

    private ByteBuffer newUnsolicitedRej(int reason) {
        ByteBuffer mad = newMessage(CmMessage.REJ, requestTransaction);
        CmRej.MESSAGE.set(mad, 0, CmMessage.ANSWERS_OTHER);
        CmRej.REASON.set(mad, 0, reason);
        return mad;
    }

    @Override
    public String toString() {
        return (active ? "active " : "passive ") + Integer.toHexString(localId)
            + (peerKnown ? "/" + Integer.toHexString(remoteId) : "") + " " + state + " " + gids.local() + " > " + gids.remote();
    }
}
