// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.net.InetSocketAddress;
import org.softrdma.device.cm.CmConnection;
import org.softrdma.device.cm.CmHandler;
import org.softrdma.device.cm.CmPathOptions;
import org.softrdma.device.cm.CmService;
import org.softrdma.rxe.cm.CmSettings;
import org.softrdma.rxe.cm.Connection;
import org.softrdma.rxe.cm.ConnectionListener;
import org.softrdma.rxe.cm.ConnectionState;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.RepFields;
import org.softrdma.rxe.cm.ReqFields;
import org.softrdma.rxe.cm.SidrQuery;
import org.softrdma.rxe.cm.SidrQueryListener;
import org.softrdma.rxe.cm.SidrRequest;
import org.softrdma.rxe.engine.RxeLimits;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.wire.cm.CmIpHeader;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmRep;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.cm.CmSidrReq;

/**
 * One end of an rdma_cm connection, or of the look-up of a datagram service. It has one of three machines of communication management below
 * it, whichever it came to be; before {@link #connect} none.
 */
final class RxeCmConnection implements CmConnection, ConnectionListener, SidrQueryListener {
    private static final System.Logger LOG = System.getLogger(RxeCmConnection.class.getName());
    private static final int HOP_LIMIT = 64;
    private static final int PORT = 1;
    /** 0.64 ms, as the ping-pong tools have it; Linux's rdma_cm leaves 0 there, which is 655 ms. */
    private static final int MIN_RNR_TIMER = 12;
    private static final byte[] NOTHING = {};

    private final RxeCm cm;
    private final int startingPsn;
    private CmHandler handler;
    private Connection connection;
    private SidrQuery query;
    private SidrRequest datagramRequest;
    private int trafficClass;
    /** Of the address that asks, for datagrams: it may be gone when the answer comes. */
    private int sgidIndex;
    private boolean closed;

    RxeCmConnection(RxeCm cm) {
        this.cm = cm;
        startingPsn = cm.random().nextInt(1 << 24);
    }

    /** For a request that came. */
    RxeCmConnection(RxeCm cm, Connection connection) {
        this(cm);
        this.connection = connection;
        connection.setListener(this);
    }

    /** For a question that came. */
    RxeCmConnection(RxeCm cm, SidrRequest request) {
        this(cm);
        datagramRequest = request;
    }

    @Override
    public void handler(CmHandler told) {
        handler = told;
    }

    // ---- commands ----

    @Override
    public void connect(CmService service, QpType type, InetSocketAddress local, InetSocketAddress remote,
                        ConnectionParameters parameters, CmPathOptions options) {
        Gid from = Gid.of(local.getAddress());
        Gid to = Gid.of(remote.getAddress());
        int room = (type == QpType.UD ? CmSidrReq.PRIVATE_DATA_LENGTH : CmReq.PRIVATE_DATA_LENGTH) - CmIpHeader.LENGTH;
        requireFits("rdma_connect", parameters.privateData(), room);
        byte[] privateData = RxeCm.withIpHeader(from, local.getPort(), to, parameters.privateData());
        GidPair gids = new GidPair(cm.gidType(), from, to);
        cm.awaitReachable(gids);
        cm.command(nowNs -> {
            require("rdma_connect", !closed && connection == null && query == null && datagramRequest == null);
            cm.requireRoute(gids);
            trafficClass = options.typeOfService();
            if (type == QpType.UD) {
                sgidIndex = cm.gidIndex(gids.type(), from);
                query = cm.manager().query(nowNs, gids, service.serviceId(), QpMachine.PKEY, privateData, this);
            } else {
                connection = cm.manager().connect(nowNs, gids.type(), new ReqFields(from, to, service.serviceId(), transport(type),
                    parameters.qpNum(), startingPsn, parameters.responderResources(), parameters.initiatorDepth(), parameters.retryCount(),
                    parameters.rnrRetryCount(), parameters.flowControl(), parameters.srq(), cm.pathMtu(), QpMachine.PKEY,
                    options.typeOfService(), flowLabel(local.getPort(), remote.getPort()), HOP_LIMIT,
                    ackTimeout(options, settings().ackTimeout(settings().ackDelay())), privateData), this);
            }
        });
    }

    private static int transport(QpType type) {
        return switch (type) {
            case RC -> CmReq.TRANSPORT_RC;
            case UC -> CmReq.TRANSPORT_UC;
            default -> throw new VerbsException(Errno.EOPNOTSUPP, "rdma_connect", "service " + type + "; there are RC, UC and UD");
        };
    }

    /** Different connections shall take different ways: Linux's formula. */
    private static int flowLabel(int localPort, int remotePort) {
        return localPort * 31 + remotePort & 0xfffff;
    }

    @Override
    public void accept(ConnectionParameters parameters, int qkey) {
        cm.command(nowNs -> {
            require("rdma_accept", !closed && (connection != null || datagramRequest != null));
            if (datagramRequest != null) {
                requireFits("rdma_accept", parameters.privateData(), CmSidrRep.PRIVATE_DATA_LENGTH);
                datagramRequest.answer(nowNs, CmSidrRep.VALID, parameters.qpNum(), qkey, parameters.privateData());
                return;
            }
            requireFits("rdma_accept", parameters.privateData(), CmRep.PRIVATE_DATA_LENGTH);
            connection.accept(nowNs, new RepFields(parameters.qpNum(), startingPsn, parameters.responderResources(),
                parameters.initiatorDepth(), settings().ackDelay(), parameters.rnrRetryCount(), parameters.flowControl(),
                parameters.srq(), parameters.privateData()));
        });
    }

    @Override
    public void reject(byte[] privateData) {
        cm.command(nowNs -> {
            require("rdma_reject", !closed && (connection != null || datagramRequest != null));
            if (datagramRequest != null) {
                requireFits("rdma_reject", privateData, CmSidrRep.PRIVATE_DATA_LENGTH);
                datagramRequest.answer(nowNs, CmSidrRep.REJECTED, 0, 0, privateData);
            } else {
                requireFits("rdma_reject", privateData, CmRej.PRIVATE_DATA_LENGTH);
                connection.reject(nowNs, CmRejectReason.CONSUMER, privateData);
            }
        });
    }

    @Override
    public void establish() {
        cm.command(nowNs -> {
            require("rdma_establish", !closed && connection != null);
            connection.confirm(nowNs, NOTHING);
        });
    }

    @Override
    public void communicationEstablished() {
        cm.command(nowNs -> {
            if (!closed && connection != null) {
                connection.onPacket();
            }
        });
    }

    @Override
    public void disconnect() {
        cm.command(nowNs -> {
            if (!closed && connection != null) {
                connection.disconnect(nowNs);
            }
        });
    }

    @Override
    public boolean movesQueuePair() {
        return false;
    }

    @Override
    public void close() {
        cm.command(nowNs -> {
            if (closed) {
                return;
            }
            closed = true;
            if (connection != null) {
                connection.abandon(nowNs);
            }
            if (query != null) {
                query.abandon();
            }
            if (datagramRequest != null) {
                datagramRequest.abandon(nowNs);
            }
        });
    }

    private void require(String verb, boolean fits) {
        if (!fits) {
            throw new VerbsException(Errno.EINVAL, verb, "not in this state: "
                + (closed ? "closed" : connection != null ? connection : query != null || datagramRequest != null ? "a look-up of datagrams"
                    : "not connected"));
        }
    }

    private static void requireFits(String verb, byte[] privateData, int room) {
        if (privateData.length > room) {
            throw new VerbsException(Errno.EINVAL, verb, privateData.length + " bytes of private data; there is room for " + room);
        }
    }

    private CmSettings settings() {
        return cm.manager().settings();
    }

    // ---- the queue pair ----

    @Override
    public QpAttributes qpAttributes(QpState to, CmPathOptions options) {
        return cm.asOwner(() -> attributes(to, options));
    }

    private QpAttributes attributes(QpState to, CmPathOptions options) {
        require("rdma_init_qp_attr", connection != null && connection.state() != ConnectionState.CLOSED
            && (to == QpState.INIT || !connection.isActive() || connection.reply() != null));
        return switch (to) {
            case INIT -> new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(PORT).accessFlags(responderResources() == 0
                ? AccessFlags.REMOTE_WRITE
                : AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC);
            case RTR -> readyToReceive(options);
            case RTS -> readyToSend(options);
            default -> throw new VerbsException(Errno.EINVAL, "rdma_init_qp_attr", "state " + to + "; there are INIT, RTR and RTS");
        };
    }

    private QpAttributes readyToReceive(CmPathOptions options) {
        ReqFields request = connection.request();
        boolean active = connection.isActive();
        Gid local = active ? request.local() : request.remote();
        Gid remote = active ? request.remote() : request.local();
        QpAttributes attributes = new QpAttributes().state(QpState.RTR)
            .addressVector(new AddressVector(remote, cm.gidIndex(connection.gids().type(), local), request.flowLabel(), HOP_LIMIT,
                active ? options.typeOfService() : request.trafficClass(), 0, PORT))
            .pathMtu(Mtu.of(request.pathMtu()))
            .destQpn(active ? connection.reply().qpn() : request.qpn())
            .rqPsn(startingPsn);
        if (isReliable()) {
            attributes.maxDestRdAtomic(Math.min(responderResources(), RxeLimits.MAX_RD_ATOMIC))
                .minRnrTimer(options.minRnrTimer() == CmPathOptions.UNSET ? MIN_RNR_TIMER : options.minRnrTimer());
        }
        return attributes;
    }

    private QpAttributes readyToSend(CmPathOptions options) {
        ReqFields request = connection.request();
        boolean active = connection.isActive();
        QpAttributes attributes = new QpAttributes().state(QpState.RTS)
            .sqPsn(active ? connection.reply().startingPsn() : request.startingPsn());
        if (isReliable()) {
            attributes.timeout(active ? ackTimeout(options, settings().ackTimeout(connection.reply().targetAckDelay()))
                    : request.ackTimeout())
                .retryCount(request.retryCount())
                .rnrRetry(active ? connection.reply().rnrRetryCount() : request.rnrRetryCount())
                .maxRdAtomic(Math.min(initiatorDepth(), RxeLimits.MAX_RD_ATOMIC));
        }
        return attributes;
    }

    private static int ackTimeout(CmPathOptions options, int computed) {
        return options.ackTimeout() == CmPathOptions.UNSET ? computed : options.ackTimeout();
    }

    private boolean isReliable() {
        return connection.request().transport() == CmReq.TRANSPORT_RC;
    }

    /** READs and atomics taken from the peer: as it said last, seen from this end. */
    private int responderResources() {
        return !connection.isActive() ? connection.request().initiatorDepth()
            : connection.reply() == null ? connection.request().responderResources() : connection.reply().initiatorDepth();
    }

    private int initiatorDepth() {
        return connection.isActive() ? connection.reply().responderResources() : connection.request().responderResources();
    }

    // ---- what the machines tell, with the owner's lock held ----

    @Override
    public void onReply(Connection told) {
        RepFields reply = told.reply();
        handler.onResponse(new ConnectionParameters(reply.privateData(), reply.initiatorDepth(), reply.responderResources(),
            reply.flowControl(), told.request().retryCount(), reply.rnrRetryCount(), reply.srq(), reply.qpn()));
    }

    @Override
    public void onEstablished(Connection told) {
        handler.onEstablished(null);
    }

    @Override
    public void onRejected(Connection told, int reason, byte[] privateData) {
        handler.onRejected(reason, privateData);
    }

    @Override
    public void onUnreachable(Connection told) {
        handler.onUnreachable(-Errno.ETIMEDOUT.value(), NOTHING);
    }

    @Override
    public void onPortUnreachable(Connection told) {
        LOG.log(System.Logger.Level.WARNING, told.remote() + " has nobody at the UDP port of RoCE v2, says its host. Is its program"
            + " running, and its device there (rdma link)? If it speaks RoCE v1, ask for that: cma_roce_mode -d DEV -p 1 -m 1, on a device"
            + " with link raw");
        handler.onUnreachable(-Errno.ECONNREFUSED.value(), NOTHING);
    }

    @Override
    public void onDisconnectRequest(Connection told) {
        handler.onDisconnected(0);
    }

    @Override
    public void onDisconnected(Connection told, boolean timedOut) {
        handler.onDisconnected(timedOut ? -Errno.ETIMEDOUT.value() : 0);
    }

    @Override
    public void onTimewaitExit(Connection told) {
        handler.onTimewaitExit();
    }

    @Override
    public void onAnswer(SidrQuery told, int status, int qpn, int qkey, byte[] privateData) {
        if (status == CmSidrRep.VALID) {
            handler.onDatagramTarget(new DatagramParameters(privateData,
                new AddressVector(told.remote(), sgidIndex, 0, HOP_LIMIT, trafficClass, 0, PORT), qpn, qkey));
        } else {
            handler.onUnreachable(status, privateData);
        }
    }

    @Override
    public void onUnreachable(SidrQuery told) {
        handler.onUnreachable(-Errno.ETIMEDOUT.value(), NOTHING);
    }
}
