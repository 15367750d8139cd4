// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
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
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.mad.Mad;

/**
 * Communication management of one device: tables of connections and listeners, the lookup of connections by the IDs in a message, and
 * messages that concern no connection. Not thread-safe; called by the device's owner.
 */
public final class CommunicationManager {
    private static final int MULTICAST_QPN = 0xffffff;
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
    private final ArrayDeque<OutgoingMad> refusals = new ArrayDeque<>();
    private final Pacing pacing;
    private DisconnectStore disconnects = DisconnectStore.NOWHERE;
    private IntPredicate partitions = pkey -> PKeyBlock.match(PKeyBlock.DEFAULT, pkey);

    /** Communication ID or queue pair number of a channel adapter. The address is included because several adapters may claim one GUID. */
    private record PeerNumber(Gid address, long guid, int number) {
    }

    /**
     * Creates the manager of one device.
     *
     * @param random source of IDs; must be secure outside a simulator, as guessed IDs allow disturbing connections
     * @param isOurs tests if an address is one of the device's
     */
    public CommunicationManager(CmSettings settings, RandomGenerator random, Predicate<Gid> isOurs) {
        this.settings = settings;
        this.random = random;
        this.isOurs = isOurs;
        pacing = new Pacing(timers, settings.maxInFlight(), settings.minPatienceNs(), settings.maxPatienceNs());
    }

    /** Has the DREQs of all further connections kept, in case the process is killed. */
    public void keepDisconnects(DisconnectStore store) {
        disconnects = store;
    }

    DisconnectStore disconnects() {
        return disconnects;
    }

    /** Accepts REQs in any partition of a port, instead of the default one: tests a P_Key. */
    public void acceptPartitions(IntPredicate ofPort) {
        partitions = ofPort;
    }

    // ---- commands ----

    /**
     * Registers a listener for connection requests at all addresses.
     *
     * @throws VerbsException EADDRINUSE if the service ID has a listener already
     */
    public void listen(long serviceId, RequestListener listener) {
        register(listeners, serviceId, listener);
    }

    /**
     * Registers a listener for SIDR requests at all addresses.
     *
     * @throws VerbsException EADDRINUSE if the service ID has a listener already
     */
    public void listenForDatagrams(long serviceId, RequestListener listener) {
        register(datagramListeners, serviceId, listener);
    }

    private static void register(Map<Long, RequestListener> table, long serviceId, RequestListener listener) {
        if (table.putIfAbsent(serviceId, listener) != null) {
            throw new VerbsException(Errno.EADDRINUSE, "listen",
                "service ID 0x" + Long.toHexString(serviceId) + " has a listener already");
        }
    }

    /** Removes the listeners of a service ID. Requests that were received before can still be answered. */
    public void unlisten(long serviceId) {
        listeners.remove(serviceId);
        datagramListeners.remove(serviceId);
    }

    /**
     * Requests a connection.
     *
     * @param gids addresses of the messages: on RoCE those in the request, on InfiniBand LIDs
     * @throws VerbsException ENOMEM if {@link CmSettings#maxConnections} is reached
     */
    public Connection connect(long nowNs, GidPair gids, ReqFields request, ConnectionListener listener) {
        requireRoom("connect");
        Connection connection = new Connection(this, newId(), gids, request, listener);
        connections.put(connection.localId(), connection);
        connection.start(nowNs);
        return connection;
    }

    /**
     * Requests the queue pair of a datagram service.
     *
     * @param privateData up to 216 bytes
     * @throws VerbsException ENOMEM if {@link CmSettings#maxConnections} is reached
     */
    public SidrQuery query(long nowNs, GidPair gids, long serviceId, int pkey, byte[] privateData, SidrQueryListener listener) {
        requireRoom("connect");
        SidrQuery query = new SidrQuery(this, newId(), gids, listener);
        queries.put(query.requestId(), query);
        query.start(nowNs, serviceId, pkey, privateData);
        return query;
    }

    /** Returns true while an RTU is missing, that is, while {@link #onPacket} can have an effect. */
    public boolean isAwaitingPackets() {
        return !awaitingPacket.isEmpty();
    }

    /**
     * Processes the fact that a queue pair of ours received a packet, which stands for a missing RTU.
     *
     * @param qpn u24
     */
    public void onPacket(int qpn) {
        Connection connection = awaitingPacket.get(qpn);
        if (connection != null) {
            connection.onPacket();
        }
    }

    /**
     * Ends everything because the device stops. Each peer is notified by one message.
     *
     * @param send empties {@link #nextOutgoing}; called whenever the queue is full
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

    /** Returns true while requests are held back by pacing, so that some peers have not been notified yet. */
    public boolean isPacing() {
        return pacing.isAnyWaiting();
    }

    /**
     * Sends all requests that pacing holds back, because no timer will run any more.
     *
     * @param send as in {@link #abandonAll}
     */
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
     * Processes a datagram received by the GSI, with unchecked contents.
     *
     * @param way the one it came
     * @param mad  position 0, limit at its end; not kept
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
     * Processes an ICMP report that the RoCE v2 port of a peer is unreachable. A report with the random IDs of a REQ proves that its sender
     * has seen the REQ.
     *
     * @param mad beginning of the returned message, up to the IDs
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
        int reason = checkRequest(gids, mad);
        if (reason != 0) {
            refuse(gids, mad, reason);
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

    /** Tells a late copy of a known REQ from a new REQ: a new one has the same ID but another transaction. */
    private static boolean isRepetition(Connection known, ByteBuffer mad) {
        return !known.isActive() && known.hasRequestTransaction(Mad.transactionId(mad, 0))
            && known.request().qpn() == CmReq.QPN.get(mad, 0);
    }

    /**
     * Checks a REQ whatever listens. Its queue pair must be at the address that the REQ was sent from, as rdma_cm's always is: otherwise
     * anybody could have a connection's packets sent to a third host.
     *
     * @param gids of the REQ's message; on InfiniBand LIDs, and the REQ has that of the queue pair besides its GID
     * @return the reason to reject it, or 0
     */
    private int checkRequest(GidPair gids, ByteBuffer mad) {
        Gid requester = new Gid(CmReq.LOCAL_GID_HIGH.getLong(mad, 0), CmReq.LOCAL_GID_LOW.getLong(mad, 0));
        Gid responder = new Gid(CmReq.REMOTE_GID_HIGH.getLong(mad, 0), CmReq.REMOTE_GID_LOW.getLong(mad, 0));
        // There is no reject reason for a wrong partition; Linux uses this one.
        if (!partitions.test(CmReq.PKEY.get(mad, 0)) || !isOurs.test(responder)
            || !isFromItsPort(gids, requester, mad) || requester.isIpv4Mapped() != responder.isIpv4Mapped()) {
            return CmRejectReason.INVALID_GID;
        }
        if (CmReq.TRANSPORT.get(mad, 0) > CmReq.TRANSPORT_UC) {
            return CmRejectReason.INVALID_TRANSPORT_TYPE;
        }
        // IBA has no reason for an impossible number; this one is for a number that does not fit the IDs. Linux checks neither.
        if (isReserved(CmReq.QPN.get(mad, 0))) {
            return CmRejectReason.INVALID_COMM_INSTANCE;
        }
        int mtu = CmReq.MTU.get(mad, 0);
        return mtu < MTU_256 || mtu > MTU_4096 ? CmRejectReason.INVALID_MTU : 0;
    }

    private static boolean isFromItsPort(GidPair gids, Gid requester, ByteBuffer mad) {
        return gids.type() == GidType.IB ? CmReq.LOCAL_LID.get(mad, 0) == gids.remote().lid() : requester.equals(gids.remote());
    }

    /** Returns whether no connection can use a queue pair number: those of the SMI, the GSI and of multicast. IBA vol 1 §3.5.3, §10.5.1 */
    private static boolean isReserved(int qpn) {
        return qpn <= Mad.GSI_QPN || qpn == MULTICAST_QPN;
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

    /** Finds the connection of a REJ. A peer that rejects our REQ has no communication ID yet; one that timed out may not know ours. */
    private void onRejection(long nowNs, Gid remote, ByteBuffer mad) {
        Connection connection;
        if (CmRej.REASON.get(mad, 0) == CmRejectReason.TIMEOUT) {
            connection = CmRej.INFO_LENGTH.get(mad, 0) < Long.BYTES ? null
                : byPeersId.get(new PeerNumber(remote, CmRej.INFO_GUID.getLong(mad, 0), CmMessage.LOCAL_COMM_ID.get(mad, 0)));
        } else {
            connection = connections.get(CmMessage.REMOTE_COMM_ID.get(mad, 0));
            boolean ofRequest = CmRej.MESSAGE.get(mad, 0) == CmMessage.ANSWERS_REQ;
            // After a REP, a REJ of the REQ without the ID of the peer is late: another copy of the REQ was accepted.
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

    /** Compares the sender's ID. A peer that does not know the connection returns both IDs in the order of our message. */
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
        // The connection is gone: answer, so that the peer need not wait. IBA vol 1 §12.9.8.6
        counters.count(CmCounter.CM_DROP_UNKNOWN_ID);
        send(gids, answerTo(mad, CmMessage.DREP));
    }

    /**
     * Refuses an alternate path, since none are supported, in any state of the connection. IBA vol 1 §12.8; kernel 6.1 does not answer a
     * LAP over RoCE.
     */
    private void onAlternatePath(GidPair gids, ByteBuffer mad) {
        Connection connection = findByIds(gids.remote(), mad);
        int status = CmApr.UNSUPPORTED;
        if (connection == null) {
            status = CmApr.INVALID_COMM_ID;
        } else if (!connection.isQueuePair(CmLap.REMOTE_QPN.get(mad, 0))) {
            counters.count(CmCounter.CM_DROP_WRONG_PEER);
            status = CmApr.INVALID_QPN;
        }
        ByteBuffer answer = answerTo(mad, CmMessage.APR);
        CmApr.STATUS.set(answer, 0, status);
        send(gids, answer);
    }

    /** Finds the connection with both IDs and this peer; counts the message and returns null if there is none. */
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

    /** Rejects a REQ or REP that belongs to no connection. */
    private void refuse(GidPair gids, ByteBuffer mad, int reason) {
        ByteBuffer answer = answerTo(mad, CmMessage.REJ);
        CmRej.REASON.set(answer, 0, reason);
        if (Mad.attribute(mad, 0) == CmMessage.REP) {
            CmRej.MESSAGE.set(answer, 0, CmMessage.ANSWERS_REP);
        } else {
            CmMessage.LOCAL_COMM_ID.set(answer, 0, 0);
        }
        if (reason == CmRejectReason.INVALID_GID && gids.type() != GidType.IB) {
            CmRej.INFO_LENGTH.set(answer, 0, 2 * Long.BYTES);
            CmRej.INFO_GUID.set(answer, 0, gids.local().high());
            CmRej.INFO_GID_LOW.set(answer, 0, gids.local().low());
        }
        sendRefusal(gids, answer);
    }

    /** Begins an answer with the transaction and the IDs of {@code mad}, the latter swapped. */
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

    /** Keeps an answered request, so that repetitions of it get the same answer. */
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

    /** Enters a connection into the tables by the peer's ID and queue pair, once these are known. */
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

    /** Removes the peer's queue pair from its table: the peer may use it for another connection. */
    void releasePeerQpn(Connection connection) {
        if (connection.isPeerKnown()) {
            byPeersQpn.remove(peersQpn(connection), connection);
        }
    }

    void awaitPacket(Connection connection, int qpn) {
        awaitingPacket.put(qpn, connection);
    }

    /** Removes the queue pair from those that await a packet, unless another connection uses it by now. */
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

    /** Transaction of messages that this side begins: unique per connection and, except for random collisions, per adapter. */
    long transactionOf(int id) {
        return settings.caGuid() << 32 | id & 0xffff_ffffL;
    }

    private boolean isFull() {
        return connections.size() + queries.size() + sidrRequests.size() - answered.size() >= settings.maxConnections();
    }

    private void requireRoom(String verb) {
        if (isFull()) {
            throw new VerbsException(Errno.ENOMEM, verb, "the device has " + settings.maxConnections() + " connections, its maximum");
        }
    }

    /** Returns true if there are no connections and no SIDR exchanges in any state; listeners do not count. */
    public boolean isIdle() {
        return connections.isEmpty() && byPeersId.isEmpty() && byPeersQpn.isEmpty() && awaitingPacket.isEmpty() && queries.isEmpty()
            && sidrRequests.isEmpty() && pacing.isIdle();
    }

    // ---- time and output ----

    /** Returns the time at which {@link #onTime} must be called next; {@link Deadline#NEVER} if there is none. */
    public long deadlineNs() {
        return timers.earliestNs();
    }

    /**
     * Runs the timers that are due.
     *
     * @return number of timers that expired
     */
    public int onTime(long nowNs) {
        return timers.expire(nowNs);
    }

    /** Returns true if {@link #nextOutgoing} returns a MAD. */
    public boolean hasOutgoing() {
        return !outgoing.isEmpty();
    }

    /** Removes and returns the next MAD to be sent, in order; null if there is none. */
    public OutgoingMad nextOutgoing() {
        return outgoing.poll();
    }

    /** Returns the number of MADs that {@link #nextRefusal} returns. */
    public int refusals() {
        return refusals.size();
    }

    /**
     * Removes and returns the next refusal of a request that no connection and no look-up was made for; null if there is none. Refusals
     * can be sent later than other MADs, several at a time.
     */
    public OutgoingMad nextRefusal() {
        return refusals.poll();
    }

    /**
     * Queues a MAD.
     *
     * @param mad must not be changed afterwards
     */
    void send(GidPair gids, ByteBuffer mad) {
        enqueue(outgoing, gids, mad);
    }

    /** Queues a MAD as {@link #send} does, for {@link #nextRefusal}. */
    void sendRefusal(GidPair gids, ByteBuffer mad) {
        enqueue(refusals, gids, mad);
    }

    private void enqueue(ArrayDeque<OutgoingMad> queue, GidPair gids, ByteBuffer mad) {
        if (queue.size() >= settings.maxOutgoing()) {
            counters.count(CmCounter.CM_DROP_OUTBOX_FULL);
            return;
        }
        counters.count(CmCounter.CM_SENT);
        queue.add(new OutgoingMad(gids, mad));
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
