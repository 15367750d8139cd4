// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.cm.CmApr;
import org.softrdma.wire.cm.CmCheck;
import org.softrdma.wire.cm.CmLap;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmRep;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.cm.CmSidrReq;
import org.softrdma.wire.mad.Mad;

/**
 * Communication management of one device: which connections and listeners there are, by which numbers messages find them, and what
 * concerns no connection in particular. Not thread-safe; the device's owner calls it.
 */
public final class CommunicationManager {
    private static final int DEFAULT_PARTITION = 0x7fff;
    private static final int MTU_256 = 1;
    private static final int MTU_4096 = 5;

    private final CmSettings settings;
    private final RandomGenerator random;
    private final Predicate<Gid> isOurs;
    private final Counters<CmCounter> counters = new Counters<>(CmCounter.class);
    private final DeadlineHeap timers = new DeadlineHeap();
    private final Map<Long, RequestListener> listeners = new HashMap<>();
    private final Map<Long, RequestListener> datagramListeners = new HashMap<>();
    private final Int2ObjectHashMap<Connection> connections = new Int2ObjectHashMap<>();
    private final Map<PeerNumber, Connection> byPeersId = new HashMap<>();
    private final Map<PeerNumber, Connection> byPeersQpn = new HashMap<>();
    private final Int2ObjectHashMap<Connection> awaitingPacket = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<SidrQuery> queries = new Int2ObjectHashMap<>();
    private final Map<SidrRequest.Key, SidrRequest> sidrRequests = new HashMap<>();
    private final ArrayDeque<SidrRequest> answered = new ArrayDeque<>();
    private final ArrayDeque<OutgoingMad> outgoing = new ArrayDeque<>();
    private final Pacing pacing;

    /** A communication id or queue pair number of a channel adapter; there may be others that say they are the same one. */
    private record PeerNumber(Gid address, long guid, int number) {
    }

    /**
     * @param random draws ids; secure, outside a simulator: who can guess them can disturb connections
     * @param isOurs whether an address is one of the device's
     */
    public CommunicationManager(CmSettings settings, RandomGenerator random, Predicate<Gid> isOurs) {
        this.settings = settings;
        this.random = random;
        this.isOurs = isOurs;
        pacing = new Pacing(timers, settings.maxInFlight(), settings.minPatienceNs(), settings.maxPatienceNs());
    }

    // ---- commands ----

    /**
     * Waits for requests for connections, at all addresses.
     *
     * @throws VerbsException EADDRINUSE if somebody does already
     */
    public void listen(long serviceId, RequestListener listener) {
        register(listeners, serviceId, listener);
    }

    /**
     * Waits for requests for queue pairs for datagrams, at all addresses.
     *
     * @throws VerbsException EADDRINUSE if somebody does already
     */
    public void listenForDatagrams(long serviceId, RequestListener listener) {
        register(datagramListeners, serviceId, listener);
    }

    private static void register(Map<Long, RequestListener> table, long serviceId, RequestListener listener) {
        if (table.putIfAbsent(serviceId, listener) != null) {
            throw new VerbsException(Errno.EADDRINUSE, "rdma_listen", "service id 0x" + Long.toHexString(serviceId) + " has a listener");
        }
    }

    /** No requests of either kind come in any more; what waits for an answer goes on waiting. */
    public void unlisten(long serviceId) {
        listeners.remove(serviceId);
        datagramListeners.remove(serviceId);
    }

    /**
     * Asks for a connection.
     *
     * @param type RoCE v1 or v2
     * @throws VerbsException ENOMEM if there are too many
     */
    public Connection connect(long nowNs, GidType type, ReqFields request, ConnectionListener listener) {
        requireRoom("rdma_connect");
        Connection connection = new Connection(this, newId(), new GidPair(type, request.local(), request.remote()), request, listener);
        connections.put(connection.localId(), connection);
        connection.start(nowNs);
        return connection;
    }

    /**
     * Asks for the queue pair of a service of datagrams.
     *
     * @param privateData up to 216 bytes
     * @throws VerbsException ENOMEM if there are too many
     */
    public SidrQuery query(long nowNs, GidPair gids, long serviceId, int pkey, byte[] privateData, SidrQueryListener listener) {
        requireRoom("rdma_connect");
        SidrQuery query = new SidrQuery(this, newId(), gids, listener);
        queries.put(query.requestId(), query);
        query.start(nowNs, serviceId, pkey, privateData);
        return query;
    }

    /** Whether {@link #onPacket} may be told something new: some RTU has not come yet. */
    public boolean isAwaitingPackets() {
        return !awaitingPacket.isEmpty();
    }

    /** A packet came to a queue pair of ours, u24. */
    public void onPacket(int qpn) {
        Connection connection = awaitingPacket.get(qpn);
        if (connection != null) {
            connection.onPacket();
        }
    }

    /**
     * The device stops: every peer is told, as far as one message can.
     *
     * @param send takes {@link #nextOutgoing}; called whenever there are too many of them
     */
    public void abandonAll(long nowNs, Runnable send) {
        listeners.clear();
        datagramListeners.clear();
        for (Connection connection : List.copyOf(connections.values())) {
            makeRoom(send);
            connection.abandon(nowNs);
        }
        for (SidrRequest request : List.copyOf(sidrRequests.values())) {
            makeRoom(send);
            request.abandon(nowNs);
        }
        for (SidrQuery query : List.copyOf(queries.values())) {
            query.abandon();
        }
    }

    /** Whether requests wait for their turn: what the peer has to know is not all said. */
    public boolean isPacing() {
        return pacing.isAnyWaiting();
    }

    /** Nobody will be there to give turns: what waits for one has it now. @param send as of {@link #abandonAll} */
    public void flushPacing(long nowNs, Runnable send) {
        for (Pacing.Request request : pacing.waiting()) {
            makeRoom(send);
            pacing.leave(request);
            request.onTurn(nowNs);
        }
    }

    private void makeRoom(Runnable send) {
        if (outgoing.size() >= settings.maxOutgoing()) {
            send.run();
        }
    }

    // ---- input ----

    /**
     * A datagram for the GSI, of whatever contents.
     *
     * @param way the one it came
     * @param mad position 0, limit at its end; not kept
     */
    public void onMad(long nowNs, GidPair gids, ByteBuffer mad) {
        switch (CmCheck.verdict(mad, 0, mad.limit())) {
            case CmCheck.OK -> {
                counters.count(CmCounter.CM_RECEIVED);
                onMessage(nowNs, gids, mad);
            }
            case CmCheck.OTHER_CLASS -> counters.count(CmCounter.CM_DROP_OTHER_CLASS);
            case CmCheck.UNKNOWN_MESSAGE -> counters.count(CmCounter.CM_DROP_UNKNOWN_MESSAGE);
            default -> counters.count(CmCounter.CM_DROP_MALFORMED);
        }
    }

    /**
     * A message of ours came back: its receiver's host says that nobody is at the port of RoCE v2. Whoever sends back a REQ with ids that
     * were drawn at random has seen it.
     *
     * @param mad the message's beginning, up to the ids
     */
    public void onPortUnreachable(GidPair gids, ByteBuffer mad) {
        Connection connection = Mad.attribute(mad, 0) == CmMessage.REQ ? connections.get(CmMessage.LOCAL_COMM_ID.get(mad, 0)) : null;
        if (connection != null && connection.gids().equals(gids) && connection.hasRequestTransaction(Mad.transactionId(mad, 0))) {
            connection.onPortUnreachable();
        } else {
            counters.count(CmCounter.CM_DROP_UNKNOWN_ID);
        }
    }

    private void onMessage(long nowNs, GidPair gids, ByteBuffer mad) {
        switch (Mad.attribute(mad, 0)) {
            case CmMessage.REQ -> onRequest(nowNs, gids, mad);
            case CmMessage.MRA -> onMra(nowNs, gids.remote(), mad);
            case CmMessage.REJ -> onRejection(nowNs, gids.remote(), mad);
            case CmMessage.REP -> onReply(nowNs, gids, mad);
            case CmMessage.RTU -> {
                Connection connection = findByIds(gids.remote(), mad);
                if (connection != null) {
                    connection.onReady();
                }
            }
            case CmMessage.DREQ -> onDisconnectRequest(nowNs, gids, mad);
            case CmMessage.DREP -> {
                Connection connection = findByIds(gids.remote(), mad);
                if (connection != null) {
                    connection.onDisconnectReply(nowNs);
                }
            }
            case CmMessage.SIDR_REQ -> onSidrRequest(nowNs, gids, mad);
            case CmMessage.SIDR_REP -> onSidrReply(nowNs, gids.remote(), mad);
            case CmMessage.LAP -> onAlternatePath(gids, mad);
            // We never send a LAP.
            default -> counters.count(CmCounter.CM_DROP_WRONG_STATE);
        }
    }

    // ---- connections ----

    private void onRequest(long nowNs, GidPair gids, ByteBuffer mad) {
        long guid = CmReq.CA_GUID.getLong(mad, 0);
        Connection known = byPeersId.get(new PeerNumber(gids.remote(), guid, CmMessage.LOCAL_COMM_ID.get(mad, 0)));
        if (known != null && isRepetition(known, mad)) {
            known.onDuplicateRequest();
            return;
        }
        Connection older = byPeersQpn.get(new PeerNumber(gids.remote(), guid, CmReq.QPN.get(mad, 0)));
        if (older != null) {
            refuse(gids, mad, CmRejectReason.STALE_CONNECTION);
            older.onStale(nowNs);
            return;
        }
        if (known != null && known.state() != ConnectionState.TIMEWAIT) {
            refuse(gids, mad, CmRejectReason.DUPLICATE_LOCAL_COMM_ID);
            return;
        }
        int refusal = checkRequest(mad);
        if (refusal != 0) {
            refuse(gids, mad, refusal);
            return;
        }
        RequestListener listener = listeners.get(CmReq.SERVICE_ID.getLong(mad, 0));
        if (listener == null) {
            refuse(gids, mad, CmRejectReason.INVALID_SERVICE_ID);
        } else if (isFull()) {
            refuse(gids, mad, CmRejectReason.NO_RESOURCES);
        } else {
            Connection connection = new Connection(this, newId(), gids, mad);
            connections.put(connection.localId(), connection);
            addPeer(connection);
            switch (listener.onRequest(connection)) {
                case TAKEN -> { }
                case REFUSED -> connection.reject(nowNs, CmRejectReason.CONSUMER, new byte[0]);
                case DROPPED -> {
                    counters.count(CmCounter.CM_DROP_BACKLOG_FULL);
                    connection.close();
                }
            }
        }
    }

    /** A REQ of a connection that is over may still be under way; one with the same id but another transaction is a new one. */
    private static boolean isRepetition(Connection known, ByteBuffer mad) {
        return !known.isActive() && known.hasRequestTransaction(Mad.transactionId(mad, 0))
            && known.request().qpn() == CmReq.QPN.get(mad, 0);
    }

    /** @return why nobody could accept it, or 0 */
    private int checkRequest(ByteBuffer mad) {
        Gid asking = new Gid(CmReq.LOCAL_GID_HIGH.getLong(mad, 0), CmReq.LOCAL_GID_LOW.getLong(mad, 0));
        Gid asked = new Gid(CmReq.REMOTE_GID_HIGH.getLong(mad, 0), CmReq.REMOTE_GID_LOW.getLong(mad, 0));
        // There is no reason for a wrong partition; Linux takes this one.
        if ((CmReq.PKEY.get(mad, 0) & DEFAULT_PARTITION) != DEFAULT_PARTITION || !isOurs.test(asked) || asking.isZero()
            || asking.isMulticast() || asking.isIpv4Mapped() != asked.isIpv4Mapped()) {
            return CmRejectReason.INVALID_GID;
        }
        if (CmReq.TRANSPORT.get(mad, 0) > CmReq.TRANSPORT_UC) {
            return CmRejectReason.INVALID_TRANSPORT_TYPE;
        }
        int mtu = CmReq.MTU.get(mad, 0);
        return mtu < MTU_256 || mtu > MTU_4096 ? CmRejectReason.INVALID_MTU : 0;
    }

    private void onReply(long nowNs, GidPair gids, ByteBuffer mad) {
        Connection connection = connections.get(CmMessage.REMOTE_COMM_ID.get(mad, 0));
        if (connection == null || !connection.isActive()) {
            counters.count(CmCounter.CM_DROP_UNKNOWN_ID);
            refuse(gids, mad, CmRejectReason.INVALID_COMM_ID);
            return;
        }
        if (!connection.remote().equals(gids.remote())
            || connection.isPeerKnown() && connection.remoteId() != CmMessage.LOCAL_COMM_ID.get(mad, 0)) {
            counters.count(CmCounter.CM_DROP_WRONG_PEER);
            return;
        }
        Connection older = byPeersQpn.get(new PeerNumber(gids.remote(), CmRep.CA_GUID.getLong(mad, 0), CmRep.QPN.get(mad, 0)));
        if (older != null && older != connection) {
            refuse(gids, mad, CmRejectReason.STALE_CONNECTION);
            older.onStale(nowNs);
            return;
        }
        connection.onReply(nowNs, mad);
    }

    private void onMra(long nowNs, Gid remote, ByteBuffer mad) {
        Connection connection = connections.get(CmMessage.REMOTE_COMM_ID.get(mad, 0));
        if (connection == null) {
            counters.count(CmCounter.CM_DROP_UNKNOWN_ID);
        } else if (!connection.remote().equals(remote)
            || connection.isPeerKnown() && connection.remoteId() != CmMessage.LOCAL_COMM_ID.get(mad, 0)) {
            counters.count(CmCounter.CM_DROP_WRONG_PEER);
        } else {
            connection.onMra(nowNs, mad);
        }
    }

    /** Who made no connection of our REQ has no id of its own; who heard nothing from us does not know ours. */
    private void onRejection(long nowNs, Gid remote, ByteBuffer mad) {
        Connection connection;
        if (CmRej.REASON.get(mad, 0) == CmRejectReason.TIMEOUT) {
            connection = CmRej.INFO_LENGTH.get(mad, 0) < Long.BYTES ? null
                : byPeersId.get(new PeerNumber(remote, CmRej.INFO_GUID.getLong(mad, 0), CmMessage.LOCAL_COMM_ID.get(mad, 0)));
        } else {
            connection = connections.get(CmMessage.REMOTE_COMM_ID.get(mad, 0));
            boolean ofRequest = CmRej.MESSAGE.get(mad, 0) == CmMessage.ANSWERS_REQ;
            // Once there was a REP, a refusal of the REQ without its id is late: another copy of the REQ was accepted.
            if (connection != null && !(connection.isPeerKnown() ? hasRemoteId(connection, mad) : ofRequest)) {
                connection = null;
            }
        }
        if (connection == null) {
            counters.count(CmCounter.CM_DROP_UNKNOWN_ID);
        } else if (!connection.remote().equals(remote)) {
            counters.count(CmCounter.CM_DROP_WRONG_PEER);
        } else {
            connection.onRejection(nowNs, mad);
        }
    }

    /** Somebody who knows no connection of these ids names them in the order of our message. */
    private static boolean hasRemoteId(Connection connection, ByteBuffer mad) {
        return connection.remoteId() == CmMessage.LOCAL_COMM_ID.get(mad, 0);
    }

    private void onDisconnectRequest(long nowNs, GidPair gids, ByteBuffer mad) {
        Connection connection = connections.get(CmMessage.REMOTE_COMM_ID.get(mad, 0));
        if (connection != null && connection.isPeerKnown() && hasRemoteId(connection, mad)) {
            if (connection.remote().equals(gids.remote())) {
                connection.onDisconnectRequest(nowNs, mad);
            } else {
                counters.count(CmCounter.CM_DROP_WRONG_PEER);
            }
            return;
        }
        // There is no such connection any more: whoever asks for its end shall not wait. IBA vol 1 §12.9.8.6
        counters.count(CmCounter.CM_DROP_UNKNOWN_ID);
        send(gids, answerTo(mad, CmMessage.DREP));
    }

    private void onAlternatePath(GidPair gids, ByteBuffer mad) {
        Connection connection = connections.get(CmMessage.REMOTE_COMM_ID.get(mad, 0));
        if (connection == null || !connection.isPeerKnown() || !hasRemoteId(connection, mad)) {
            counters.count(CmCounter.CM_DROP_UNKNOWN_ID);
            ByteBuffer answer = answerTo(mad, CmMessage.APR);
            CmApr.STATUS.set(answer, 0, CmApr.INVALID_COMM_ID);
            send(gids, answer);
        } else if (!connection.remote().equals(gids.remote()) || !connection.isQueuePair(CmLap.REMOTE_QPN.get(mad, 0))) {
            counters.count(CmCounter.CM_DROP_WRONG_PEER);
        } else {
            connection.onAlternatePath(mad);
        }
    }

    /** @return null, counted, if there is none of this peer with these two ids */
    private Connection findByIds(Gid remote, ByteBuffer mad) {
        Connection connection = connections.get(CmMessage.REMOTE_COMM_ID.get(mad, 0));
        if (connection == null || !connection.isPeerKnown() || !hasRemoteId(connection, mad)) {
            counters.count(CmCounter.CM_DROP_UNKNOWN_ID);
            return null;
        }
        if (!connection.remote().equals(remote)) {
            counters.count(CmCounter.CM_DROP_WRONG_PEER);
            return null;
        }
        return connection;
    }

    /** Answers a REQ or REP that no connection of ours takes. */
    private void refuse(GidPair gids, ByteBuffer mad, int reason) {
        ByteBuffer answer = answerTo(mad, CmMessage.REJ);
        CmRej.REASON.set(answer, 0, reason);
        if (Mad.attribute(mad, 0) == CmMessage.REP) {
            CmRej.MESSAGE.set(answer, 0, CmMessage.ANSWERS_REP);
        } else {
            CmMessage.LOCAL_COMM_ID.set(answer, 0, 0);
        }
        if (reason == CmRejectReason.INVALID_GID) {
            CmRej.INFO_LENGTH.set(answer, 0, 2 * Long.BYTES);
            CmRej.INFO_GUID.set(answer, 0, gids.local().high());
            CmRej.INFO_GID_LOW.set(answer, 0, gids.local().low());
        }
        send(gids, answer);
    }

    /** A message with the transaction and the ids of {@code mad}, seen from this side. */
    private static ByteBuffer answerTo(ByteBuffer mad, int attribute) {
        ByteBuffer answer = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(answer, 0, attribute, Mad.transactionId(mad, 0));
        CmMessage.LOCAL_COMM_ID.set(answer, 0, CmMessage.REMOTE_COMM_ID.get(mad, 0));
        CmMessage.REMOTE_COMM_ID.set(answer, 0, CmMessage.LOCAL_COMM_ID.get(mad, 0));
        return answer;
    }

    // ---- datagrams ----

    private void onSidrRequest(long nowNs, GidPair gids, ByteBuffer mad) {
        SidrRequest.Key key = new SidrRequest.Key(gids.remote(), CmSidrReq.REQUEST_ID.get(mad, 0), Mad.transactionId(mad, 0));
        SidrRequest known = sidrRequests.get(key);
        if (known != null) {
            counters.count(CmCounter.CM_DUPLICATES);
            known.onDuplicateRequest();
            return;
        }
        SidrRequest request = new SidrRequest(this, key, gids, mad);
        RequestListener listener = datagramListeners.get(request.serviceId());
        if (listener == null) {
            request.decline(CmSidrRep.UNSUPPORTED_SERVICE_ID);
        } else if (isFull()) {
            request.decline(CmSidrRep.NO_QP);
        } else {
            sidrRequests.put(key, request);
            switch (listener.onSidrRequest(request)) {
                case TAKEN -> { }
                case REFUSED -> {
                    sidrRequests.remove(key);
                    request.decline(CmSidrRep.REJECTED);
                }
                case DROPPED -> {
                    counters.count(CmCounter.CM_DROP_BACKLOG_FULL);
                    sidrRequests.remove(key);
                }
            }
        }
    }

    /** The answer is remembered for repetitions of the question. */
    void rememberAnswer(SidrRequest request) {
        answered.add(request);
        if (answered.size() > settings.maxAnswered()) {
            forget(answered.peek());
        }
    }

    void forget(SidrRequest request) {
        answered.remove(request);
        sidrRequests.remove(request.key());
        timers.remove(request);
    }

    private void onSidrReply(long nowNs, Gid remote, ByteBuffer mad) {
        SidrQuery query = queries.get(CmSidrRep.REQUEST_ID.get(mad, 0));
        if (query == null) {
            counters.count(CmCounter.CM_DROP_UNKNOWN_ID);
        } else if (!query.remote().equals(remote)) {
            counters.count(CmCounter.CM_DROP_WRONG_PEER);
        } else {
            query.onAnswer(nowNs, mad);
        }
    }

    void forget(SidrQuery query) {
        queries.remove(query.requestId());
        pacing.leave(query);
        timers.remove(query);
    }

    // ---- tables ----

    /** The peer's ids and queue pair are known from now on. */
    void addPeer(Connection connection) {
        byPeersId.put(peersId(connection), connection);
        byPeersQpn.put(peersQpn(connection), connection);
    }

    private static PeerNumber peersId(Connection connection) {
        return new PeerNumber(connection.remote(), connection.remoteGuid(), connection.remoteId());
    }

    private static PeerNumber peersQpn(Connection connection) {
        return new PeerNumber(connection.remote(), connection.remoteGuid(), connection.remoteQpn());
    }

    /** The peer may use its queue pair for another connection. */
    void releasePeerQpn(Connection connection) {
        if (connection.isPeerKnown()) {
            byPeersQpn.remove(peersQpn(connection), connection);
        }
    }

    void awaitPacket(Connection connection, int qpn) {
        awaitingPacket.put(qpn, connection);
    }

    /** Unless another connection waits for that queue pair now. */
    void stopAwaitingPacket(int qpn, Connection connection) {
        if (awaitingPacket.get(qpn) == connection) {
            awaitingPacket.remove(qpn);
        }
    }

    void forget(Connection connection) {
        connections.remove(connection.localId());
        timers.remove(connection);
        releasePeerQpn(connection);
        if (connection.isPeerKnown()) {
            byPeersId.remove(peersId(connection), connection);
        }
        if (!connection.isActive() && connection.reply() != null) {
            stopAwaitingPacket(connection.reply().qpn(), connection);
        }
    }

    private int newId() {
        int id;
        do {
            id = random.nextInt();
        } while (id == 0 || connections.containsKey(id) || queries.containsKey(id));
        return id;
    }

    /** Of the messages that this side begins: no two connections have the same, nor two adapters, as far as chance goes. */
    long transactionOf(int id) {
        return settings.caGuid() << 32 | id & 0xffff_ffffL;
    }

    private boolean isFull() {
        return connections.size() + queries.size() + sidrRequests.size() - answered.size() >= settings.maxConnections();
    }

    private void requireRoom(String verb) {
        if (isFull()) {
            throw new VerbsException(Errno.ENOMEM, verb, "the device has " + settings.maxConnections() + " connections already");
        }
    }

    /** Nothing is left of any connection, question or answer: listeners may be. */
    public boolean isIdle() {
        return connections.isEmpty() && byPeersId.isEmpty() && byPeersQpn.isEmpty() && awaitingPacket.isEmpty() && queries.isEmpty()
            && sidrRequests.isEmpty() && pacing.isIdle();
    }

    // ---- time and output ----

    /** When {@link #onTime} must be called next; {@link DeadlineHeap#NEVER} for never. */
    public long deadlineNs() {
        return timers.earliestNs();
    }

    /** @return how many timers ran out */
    public int onTime(long nowNs) {
        return timers.expire(nowNs);
    }

    /** Whether {@link #nextOutgoing} has one. */
    public boolean hasOutgoing() {
        return !outgoing.isEmpty();
    }

    /** The next MAD to be sent, in order; null if there is none. */
    public OutgoingMad nextOutgoing() {
        return outgoing.poll();
    }

    /** @param mad not changed any more */
    void send(GidPair gids, ByteBuffer mad) {
        if (outgoing.size() >= settings.maxOutgoing()) {
            counters.count(CmCounter.CM_DROP_OUTBOX_FULL);
            return;
        }
        counters.count(CmCounter.CM_SENT);
        outgoing.add(new OutgoingMad(gids, mad));
    }

    DeadlineHeap timers() {
        return timers;
    }

    Pacing pacing() {
        return pacing;
    }

    public CmSettings settings() {
        return settings;
    }

    public Counters<CmCounter> counters() {
        return counters;
    }
}
