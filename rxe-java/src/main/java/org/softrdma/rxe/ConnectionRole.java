// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.cm.CmPathOptions;
import org.softrdma.rxe.cm.CmSettings;
import org.softrdma.rxe.cm.Connection;
import org.softrdma.rxe.cm.ConnectionListener;
import org.softrdma.rxe.cm.ConnectionState;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.RepFields;
import org.softrdma.rxe.cm.ReqFields;
import org.softrdma.rxe.engine.RxeLimits;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmRep;
import org.softrdma.wire.cm.CmReq;

/** One end of a connection, active or passive: translates between rdma_cm and the REQ, REP and REJ of a {@link Connection}. */
final class ConnectionRole implements CmRole, ConnectionListener {
    private static final System.Logger LOG = System.getLogger(ConnectionRole.class.getName());
    private static final int HOP_LIMIT = 64;
    private static final int PORT = 1;
    /** 0.64 ms, as in the ping-pong tools; Linux's rdma_cm leaves the code 0, which is 655 ms. */
    private static final int MIN_RNR_TIMER = 12;

    private final RxeCmConnection end;
    private final Connection connection;

    /** Creates the passive end, for a request that was received. */
    ConnectionRole(RxeCmConnection end, Connection connection) {
        this.end = end;
        this.connection = connection;
        connection.setListener(this);
    }

    /** Creates the active end; its REQ is sent by {@link #request}. */
    private ConnectionRole(RxeCmConnection end, long nowNs, GidPair gids, ReqFields request) {
        this.end = end;
        connection = end.cm().manager().connect(nowNs, gids, request, this);
    }

    /**
     * Sends a REQ.
     *
     * @param gids    addresses of both ends: of their queue pairs, too, unless there is a route
     * @param request what the application chose: {@link #choice}, and the service, the flow label and the private data
     */
    static ConnectionRole request(RxeCmConnection end, long nowNs, GidPair gids, CmPathOptions options, ReqFields.Builder request) {
        CmSettings settings = end.cm().manager().settings();
        if (options.route() instanceof SubnetRoute route) {
            route.describe(request, end.cm().pathMtu());
        } else {
            request.local(gids.local()).remote(gids.remote()).pathMtu(end.cm().pathMtu()).pkey(QpMachine.PKEY)
                .trafficClass(options.typeOfService()).hopLimit(HOP_LIMIT);
        }
        return new ConnectionRole(end, nowNs, gids, request
            .startingPsn(end.startingPsn())
            .ackTimeout(ackTimeout(options, settings, settings.ackDelay()))
            .build());
    }

    /** Begins a REQ with the parameters of a connection. */
    static ReqFields.Builder choice(QpType type, ConnectionParameters parameters) {
        return ReqFields.builder()
            .transport(transport(type))
            .qpn(parameters.qpNum())
            .responderResources(parameters.responderResources())
            .initiatorDepth(parameters.initiatorDepth())
            .retryCount(parameters.retryCount())
            .rnrRetryCount(parameters.rnrRetryCount())
            .flowControl(parameters.flowControl())
            .srq(parameters.srq());
    }

    private static int transport(QpType type) {
        return switch (type) {
            case RC -> CmReq.TRANSPORT_RC;
            case UC -> CmReq.TRANSPORT_UC;
            default -> throw new VerbsException(Errno.EOPNOTSUPP, "connect", "service " + type + "; there are RC, UC and UD");
        };
    }

    /** Spreads connections over paths, with Linux's formula. */
    static int flowLabel(int localPort, int remotePort) {
        return localPort * 31 + remotePort & 0xfffff;
    }

    private static int ackTimeout(CmPathOptions options, CmSettings settings, int acksDelay) {
        if (options.ackTimeout() != CmPathOptions.UNSET) {
            return options.ackTimeout();
        }
        return options.route() instanceof SubnetRoute route ? route.ackTimeout(acksDelay) : settings.ackTimeout(acksDelay);
    }

    @Override
    public String describe() {
        return connection.toString();
    }

    // ---- commands ----

    @Override
    public void accept(long nowNs, ConnectionParameters parameters, int qkey) {
        RxeCmConnection.requireFits("accept", parameters.privateData(), CmRep.PRIVATE_DATA_LENGTH);
        connection.accept(nowNs, RepFields.builder()
            .qpn(parameters.qpNum())
            .startingPsn(end.startingPsn())
            .responderResources(parameters.responderResources())
            .initiatorDepth(parameters.initiatorDepth())
            .targetAckDelay(settings().ackDelay())
            .rnrRetryCount(parameters.rnrRetryCount())
            .flowControl(parameters.flowControl())
            .srq(parameters.srq())
            .privateData(parameters.privateData())
            .build());
    }

    @Override
    public void reject(long nowNs, byte[] privateData) {
        RxeCmConnection.requireFits("reject", privateData, CmRej.PRIVATE_DATA_LENGTH);
        connection.reject(nowNs, CmRejectReason.CONSUMER, privateData);
    }

    @Override
    public void establish(long nowNs) {
        connection.confirm(nowNs, RxeCmConnection.NO_DATA);
    }

    @Override
    public void communicationEstablished() {
        connection.onPacket();
    }

    @Override
    public void disconnect(long nowNs) {
        connection.disconnect(nowNs);
    }

    @Override
    public void abandon(long nowNs) {
        connection.abandon(nowNs);
    }

    private CmSettings settings() {
        return end.cm().manager().settings();
    }

    // ---- attributes of the queue pair ----

    @Override
    public QpAttributes qpAttributes(QpState to, CmPathOptions options) {
        boolean peerUnknown = to != QpState.INIT && connection.isActive() && connection.reply() == null;
        if (connection.state() == ConnectionState.CLOSED || peerUnknown) {
            throw RxeCmConnection.wrongState("init_qp_attr", describe());
        }
        return switch (to) {
            case INIT -> initialised();
            case RTR -> readyToReceive(options);
            case RTS -> readyToSend(options);
            default -> throw new VerbsException(Errno.EINVAL, "init_qp_attr", "state " + to + "; there are INIT, RTR and RTS");
        };
    }

    private QpAttributes initialised() {
        int reads = AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
        return new QpAttributes().state(QpState.INIT).pkeyIndex(end.cm().pkeyIndex(connection.request().pkey())).port(PORT)
            .accessFlags(responderResources() == 0 ? AccessFlags.REMOTE_WRITE : AccessFlags.REMOTE_WRITE | reads);
    }

    private QpAttributes readyToReceive(CmPathOptions options) {
        ReqFields request = connection.request();
        boolean active = connection.isActive();
        QpAttributes attributes = new QpAttributes().state(QpState.RTR)
            .addressVector(connection.gids().type() == GidType.IB
                ? AddressVector.toLid(active ? request.remoteLid() : request.localLid()).withSl(request.serviceLevel())
                : globalVector(options))
            .pathMtu(Mtu.of(request.pathMtu()))
            .destQpn(active ? connection.reply().qpn() : request.qpn())
            .rqPsn(end.startingPsn());
        if (isReliable()) {
            attributes.maxDestRdAtomic(Math.min(responderResources(), RxeLimits.MAX_RD_ATOMIC))
                .minRnrTimer(options.minRnrTimer() == CmPathOptions.UNSET ? MIN_RNR_TIMER : options.minRnrTimer());
        }
        return attributes;
    }

    private AddressVector globalVector(CmPathOptions options) {
        ReqFields request = connection.request();
        boolean active = connection.isActive();
        Gid local = active ? request.local() : request.remote();
        Gid remote = active ? request.remote() : request.local();
        return AddressVector.to(remote, end.cm().gidIndex(connection.gids().type(), local))
            .withFlowLabel(request.flowLabel())
            .withTrafficClass(active ? options.typeOfService() : request.trafficClass());
    }

    private QpAttributes readyToSend(CmPathOptions options) {
        ReqFields request = connection.request();
        boolean active = connection.isActive();
        QpAttributes attributes = new QpAttributes().state(QpState.RTS)
            .sqPsn(active ? connection.reply().startingPsn() : request.startingPsn());
        if (isReliable()) {
            attributes.timeout(active ? ackTimeout(options, settings(), connection.reply().targetAckDelay())
                    : request.ackTimeout())
                .retryCount(request.retryCount())
                .rnrRetry(active ? connection.reply().rnrRetryCount() : request.rnrRetryCount())
                .maxRdAtomic(Math.min(initiatorDepth(), RxeLimits.MAX_RD_ATOMIC));
        }
        return attributes;
    }

    private boolean isReliable() {
        return connection.request().transport() == CmReq.TRANSPORT_RC;
    }

    /** READs and atomics accepted from the peer: the value the peer gave last, seen from this end. */
    private int responderResources() {
        if (!connection.isActive()) {
            return connection.request().initiatorDepth();
        }
        return connection.reply() == null ? connection.request().responderResources() : connection.reply().initiatorDepth();
    }

    private int initiatorDepth() {
        return connection.isActive() ? connection.reply().responderResources() : connection.request().responderResources();
    }

    // ---- events ----

    @Override
    public void onReply(Connection accepted) {
        RepFields reply = accepted.reply();
        end.handler().onResponse(ConnectionParameters.builder()
            .privateData(reply.privateData())
            .responderResources(reply.initiatorDepth())
            .initiatorDepth(reply.responderResources())
            .flowControl(reply.flowControl())
            .retryCount(accepted.request().retryCount())
            .rnrRetryCount(reply.rnrRetryCount())
            .srq(reply.srq())
            .qpNum(reply.qpn())
            .build());
    }

    @Override
    public void onEstablished(Connection established) {
        end.handler().onEstablished(null);
    }

    @Override
    public void onRejected(Connection rejected, int reason, byte[] privateData) {
        end.handler().onRejected(reason, privateData);
    }

    @Override
    public void onUnreachable(Connection unanswered) {
        end.handler().onUnreachable(-Errno.ETIMEDOUT.value(), RxeCmConnection.NO_DATA);
    }

    @Override
    public void onPortUnreachable(Connection refused) {
        LOG.log(System.Logger.Level.WARNING, refused.remote() + ": the host reports the UDP port of RoCE v2 as unreachable. Is the peer's"
            + " program running, and its device present (rdma link)? If the peer uses RoCE v1, select it: cma_roce_mode -d DEV -p 1 -m 1,"
            + " on a device with link raw");
        end.handler().onUnreachable(-Errno.ECONNREFUSED.value(), RxeCmConnection.NO_DATA);
    }

    @Override
    public void onDisconnectRequest(Connection requested) {
        end.handler().onDisconnected(0);
    }

    @Override
    public void onDisconnected(Connection disconnected, boolean timedOut) {
        end.handler().onDisconnected(timedOut ? -Errno.ETIMEDOUT.value() : 0);
    }

    @Override
    public void onTimewaitExit(Connection gone) {
        end.handler().onTimewaitExit();
    }
}
