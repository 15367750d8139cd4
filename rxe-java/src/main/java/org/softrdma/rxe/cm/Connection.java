// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.cm.CmDreq;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmMra;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmRep;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.mad.Mad;

/**
 * One connection, from the REQ to the end of timewait. The {@link CommunicationManager} finds it by the IDs in a message and checks that
 * IDs and address are the peer's; the effect of a message is decided here, by the state.
 *
 * <pre>
 *  active    REQ_SENT ─REP─▶ REP_RECEIVED ─confirm─▶ ESTABLISHED ─disconnect─▶ DREQ_SENT ─DREP─▶ TIMEWAIT ▶ CLOSED
 *  passive   REQ_RECEIVED ─accept─▶ REP_SENT ─RTU, packet─▶ ESTABLISHED ─DREQ─▶ DREQ_RECEIVED ─disconnect─▶ TIMEWAIT ▶ CLOSED
 * </pre>
 *
 * <p>In a state that waits for the peer, the message that led to the state is repeated until it is answered or the retries are exhausted.
 * Source: IBA vol 1 §12.9.
 */
public final class Connection extends DeadlineHeap.Timed implements Pacing.Request {
    /** Service timeout in an MRA, which grants a slow consumer more time: 69 s, as Linux. */
    private static final int MRA_SERVICE_TIMEOUT = 24;
    /**
     * Messages that may be sent for each REQ of a peer that has not proved its source address. All MADs have the same length, so this is
     * three times the bytes received; the model is QUIC's limit, RFC 9000 §8.1.
     */
    private static final int SENT_FOR_UNPROVEN_REQ = 3;
    /** Bound of the above for a peer that repeats its REQ: more than the repetitions of a REP. */
    private static final int MAX_ALLOWANCE = 32;

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
    /** True if the REQ offered an alternate path. */
    private final boolean alternatePath;
    private ConnectionListener listener = NO_LISTENER;

    private ConnectionState state;
    private boolean peerKnown;
    private int remoteId;
    private long remoteGuid;
    private RepFields reply;
    /** Message that is repeated by the timer, and as the answer to repetitions of the peer. */
    private ByteBuffer sent;
    private int retriesLeft;
    private long deadlineNs = Deadline.NEVER;
    private long disconnectTransaction;
    /** True if the peer is known to receive at its source address: it returned an ID of ours, or its queue pair sent a packet. */
    private boolean proven;
    /** Where {@link DisconnectStore} keeps the DREQ of this connection. */
    private int kept = DisconnectStore.NONE;
    /** Messages that may still be sent to a peer that is not {@link #proven}. */
    private int allowance;

    /** Creates the active side. */
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
        proven = true;
        state = ConnectionState.REQ_SENT;
    }

    /** Creates the passive side, for a REQ. */
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
        allowance = SENT_FOR_UNPROVEN_REQ;
        state = ConnectionState.REQ_RECEIVED;
    }

    // ---- identity ----

    public ConnectionState state() {
        return state;
    }

    /** Returns true if this side requested the connection. */
    public boolean isActive() {
        return active;
    }

    /** Returns the addresses and the RoCE version of the messages. */
    public GidPair gids() {
        return gids;
    }

    /** Returns our address, to which the messages are sent. */
    public Gid local() {
        return gids.local();
    }

    /** Returns the source address of the peer's messages. */
    @Override
    public Gid remote() {
        return gids.remote();
    }

    /** Returns the fields of the REQ, whichever side sent it. */
    public ReqFields request() {
        return request;
    }

    /** Returns the fields of the REP, whichever side sent it; null before. */
    public RepFields reply() {
        return reply;
    }

    /** Returns our communication ID, u32. */
    public int localId() {
        return localId;
    }

    /** Returns true if the ID, adapter and queue pair of the peer are known. */
    public boolean isPeerKnown() {
        return peerKnown;
    }

    /** Returns the peer's communication ID, u32; valid only if {@link #isPeerKnown}. */
    public int remoteId() {
        return remoteId;
    }

    long remoteGuid() {
        return remoteGuid;
    }

    /** Returns the peer's queue pair number, u24; valid only if {@link #isPeerKnown}. */
    public int remoteQpn() {
        return active ? reply.qpn() : request.qpn();
    }

    /** Compares the transaction of the REQ. */
    boolean hasRequestTransaction(long transaction) {
        return requestTransaction == transaction;
    }

    /** Returns true if that is our queue pair; always false before there is one. */
    boolean isQueuePair(int qpn) {
        return (active || reply != null) && qpn == localQpn();
    }

    private int localQpn() {
        return active ? request.qpn() : reply.qpn();
    }

    /** Replaces the listener for all further events. */
    public void setListener(ConnectionListener newListener) {
        listener = newListener;
    }

    @Override
    public long deadlineNs() {
        return deadlineNs;
    }

    // ---- commands ----

    /** Active side: sends the first REQ. */
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
     * Passive side: accepts the request. The queue pair must be ready to receive; the peer may send before its RTU is received.
     *
     * @throws VerbsException EINVAL in other states than {@link ConnectionState#REQ_RECEIVED}; the peer may have given up meanwhile
     */
    public void accept(long nowNs, RepFields answer) {
        require("accept", state == ConnectionState.REQ_RECEIVED);
        reply = answer;
        state = ConnectionState.REP_SENT;
        manager.awaitPacket(this, answer.qpn());
        keepDreq();
        ByteBuffer mad = newMessage(CmMessage.REP, requestTransaction);
        CmRep.CA_GUID.set(mad, 0, manager.settings().caGuid());
        CmRep.FAILOVER.set(mad, 0, alternatePath ? 1 : 0);
        answer.put(mad);
        sendUntilAnswered(nowNs, mad);
    }

    /**
     * Either side: rejects the REQ or REP that waits for an answer.
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
        send(mad);
        close();
    }

    /**
     * Active side: confirms that our queue pair is ready to send and to receive.
     *
     * @param privateData up to 224 bytes; rdma_cm does not pass them on
     * @throws VerbsException EINVAL in other states than {@link ConnectionState#REP_RECEIVED}
     */
    public void confirm(long nowNs, byte[] privateData) {
        require("establish", state == ConnectionState.REP_RECEIVED);
        state = ConnectionState.ESTABLISHED;
        sent = newMessage(CmMessage.RTU, requestTransaction);
        CmMessage.putPrivateData(sent, 0, privateData);
        send(sent);
    }

    /** Requests the end of the connection, or confirms the request of the peer, depending on the state; otherwise without effect. */
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

    /** Ends the connection because its consumer is gone: no more events, and the peer is notified by the message proper in this state. */
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
            throw new VerbsException(Errno.EINVAL, verb, "the connection from " + request.local() + " to " + request.remote()
                + " is in " + state + (hasEnded() ? ": it has ended already" : ", in which it is not possible to " + verb));
        }
    }

    private boolean hasEnded() {
        return state == ConnectionState.DREQ_RECEIVED || state == ConnectionState.TIMEWAIT || state == ConnectionState.CLOSED;
    }

    // ---- messages of the peer ----

    /** Processes a repetition of the REQ that this connection was created for. */
    void onDuplicateRequest() {
        manager.counters().count(CmCounter.CM_DUPLICATES);
        allowance = Math.min(allowance + SENT_FOR_UNPROVEN_REQ, MAX_ALLOWANCE);
        if (state == ConnectionState.REQ_RECEIVED) {
            sendMra(CmMessage.ANSWERS_REQ);
        } else if (state == ConnectionState.REP_SENT) {
            // The REP was lost or is late. IBA vol 1 §12.9.8.3; Linux leaves the repetition to its timer.
            send(sent);
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
                keepDreq();
                listener.onReply(this);
            }
            case REP_RECEIVED -> {
                manager.counters().count(CmCounter.CM_DUPLICATES);
                sendMra(CmMessage.ANSWERS_REP);
            }
            case ESTABLISHED -> {
                manager.counters().count(CmCounter.CM_DUPLICATES);
                if (active) {
                    send(sent);
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

    /** Processes a packet received by our queue pair: the peer is ready, though its RTU was lost or is late. IBA vol 1 §12.9.7.2 */
    public void onPacket() {
        if (state == ConnectionState.REP_SENT) {
            manager.counters().count(CmCounter.CM_ESTABLISHED_BY_PACKET);
            establish();
        }
    }

    private void establish() {
        state = ConnectionState.ESTABLISHED;
        proven = true;
        stopRepeating();
        manager.stopAwaitingPacket(reply.qpn(), this);
        listener.onEstablished(this);
    }

    /** Extends the deadline, because the peer needs more time. */
    void onMra(long nowNs, ByteBuffer mad) {
        int message = CmMra.MESSAGE.get(mad, 0);
        if (state == ConnectionState.REQ_SENT && message == CmMessage.ANSWERS_REQ
            || state == ConnectionState.REP_SENT && message == CmMessage.ANSWERS_REP) {
            proven = true;
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
                // Packets may be in flight.
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
                // In REP_SENT, the RTU was lost and the DREQ is received before the first packet.
                if (!active) {
                    manager.stopAwaitingPacket(reply.qpn(), this);
                }
                disconnectTransaction = transaction;
                proven = true;
                state = ConnectionState.DREQ_RECEIVED;
                stopRepeating();
                listener.onDisconnectRequest(this);
            }
            case DREQ_SENT -> {
                // Both sides requested the end at the same time. IBA vol 1 §12.9.7.1
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

    /** Processes an ICMP report that returned our REQ: the RoCE v2 port of the peer's host is unreachable. */
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

    /** Ends this connection because the peer's queue pair requests a new one: the peer has forgotten this one. */
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
        deadlineNs = Deadline.NEVER;
        if (state == ConnectionState.TIMEWAIT) {
            close();
            listener.onTimewaitExit(this);
        } else if (retriesLeft > 0) {
            retriesLeft--;
            repeat();
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
                default -> throw new IllegalStateException("timer expired in " + state);
            }
        }
    }

    /** Sends the last message again. The last message that an unproven peer may be sent is kept for the REJ that ends the connection. */
    private void repeat() {
        if (!proven && allowance <= 1) {
            manager.counters().count(CmCounter.CM_DROP_UNPROVEN_PEER);
            return;
        }
        manager.counters().count(CmCounter.CM_REPEATED);
        send(sent);
    }

    private void sendUntilAnswered(long nowNs, ByteBuffer mad) {
        sent = mad;
        retriesLeft = maxRetries;
        onTurn(nowNs);
    }

    /** Sends a message repeatedly, as {@link #sendUntilAnswered}, but subject to pacing: for messages that start an exchange. */
    private void sendPaced(long nowNs, ByteBuffer mad) {
        sent = mad;
        retriesLeft = maxRetries;
        manager.pacing().submit(nowNs, this);
    }

    @Override
    public void onTurn(long nowNs) {
        send(sent);
        setDeadline(nowNs + intervalNs);
    }

    private void setDeadline(long ns) {
        deadlineNs = ns;
        manager.timers().update(this);
    }

    private void stopRepeating() {
        deadlineNs = Deadline.NEVER;
        manager.pacing().leave(this);
    }

    // ---- disconnecting ----

    private void sendDreq(long nowNs) {
        state = ConnectionState.DREQ_SENT;
        sendPaced(nowNs, newDreq());
    }

    private ByteBuffer newDreq() {
        ByteBuffer mad = newMessage(CmMessage.DREQ, manager.transactionOf(localId));
        CmDreq.REMOTE_QPN.set(mad, 0, remoteQpn());
        return mad;
    }

    /** From here on the peer may be established, and only a DREQ ends its side: it must be sent even if this process is killed. */
    private void keepDreq() {
        kept = manager.disconnects().keep(gids, newDreq());
    }

    private void releaseDreq() {
        manager.disconnects().release(kept);
        kept = DisconnectStore.NONE;
    }

    private void finishDisconnect(long nowNs, boolean timedOut) {
        enterTimewait(nowNs);
        listener.onDisconnected(this, timedOut);
    }

    private void enterTimewait(long nowNs) {
        state = ConnectionState.TIMEWAIT;
        releaseDreq();
        manager.releasePeerQpn(this);
        CmSettings settings = manager.settings();
        setDeadline(nowNs + CmSettings.timewaitNs(active ? settings.ackTimeout(reply.targetAckDelay()) : request.ackTimeout()));
    }

    private void closeRejected(int reason, byte[] privateData) {
        close();
        listener.onRejected(this, reason, privateData);
    }

    /** Removes the connection from all tables. */
    void close() {
        state = ConnectionState.CLOSED;
        releaseDreq();
        stopRepeating();
        manager.forget(this);
    }

    // ---- own messages ----

    private void send(ByteBuffer mad) {
        if (!proven) {
            if (allowance == 0) {
                manager.counters().count(CmCounter.CM_DROP_UNPROVEN_PEER);
                return;
            }
            allowance--;
        }
        manager.send(gids, mad);
    }

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
        send(mad);
    }

    private void sendDrep(long transaction) {
        send(newMessage(CmMessage.DREP, transaction));
    }

    private void sendUnsolicitedRej(int reason) {
        send(newUnsolicitedRej(reason));
    }

    /**
     * Notifies a peer that did not answer, so that it need not wait either. The GUID is included, as the peer may not know our ID.
     * Source: IBA vol 1 §12.6.7.2, reason 4.
     */
    private void sendTimeoutRej() {
        ByteBuffer mad = newUnsolicitedRej(CmRejectReason.TIMEOUT);
        CmRej.INFO_LENGTH.set(mad, 0, Long.BYTES);
        CmRej.INFO_GUID.set(mad, 0, manager.settings().caGuid());
        send(mad);
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
