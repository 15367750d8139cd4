// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetSocketAddress;
import org.softrdma.cm.CmConnection;
import org.softrdma.cm.CmHandler;
import org.softrdma.cm.CmPathOptions;
import org.softrdma.cm.CmRequest;
import org.softrdma.cm.CmService;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.linux.OpenFileLimit;
import org.softrdma.siw.mpa.Agreement;
import org.softrdma.siw.mpa.MpaResponder;
import org.softrdma.siw.tcp.ByteStream;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * One end of a connection: a TCP connection, initiated or accepted, the {@link Handshake} on it, and then the queue pair's stream. Events
 * and their status are those of the kernel's iw_cm on siw.
 */
final class SiwCmConnection implements CmConnection, HandshakeListener {
    private static final byte[] NOTHING = {};
    private static final int PORT = 1;

    private enum State {
        /** Not connecting yet. */
        NEW,
        /** TCP is connecting, or the peer's reply is awaited. */
        CONNECTING,
        /** The peer's request is awaited. */
        HALF_OPEN,
        /** The request was received; the application must accept or reject it. */
        REQUESTED,
        /** The peer left after its request, before it was answered. */
        DESERTED,
        CONNECTED, OVER
    }

    private final SiwCm cm;
    /** Null in an initiator. */
    private final SiwListener listener;
    private InetSocketAddress local;
    private InetSocketAddress remote;
    private CmHandler handler;
    private State state;
    /** Null before there is a stream, and after the agreement. */
    private Handshake handshake;
    private SiwQueuePair qp;

    /** Makes an initiator. */
    SiwCmConnection(SiwCm cm) {
        this.cm = cm;
        listener = null;
        state = State.NEW;
    }

    /** Makes a responder, for an accepted TCP connection. */
    SiwCmConnection(SiwCm cm, SiwListener listener, InetSocketAddress local, InetSocketAddress remote) {
        this.cm = cm;
        this.listener = listener;
        this.local = local;
        this.remote = remote;
        state = State.HALF_OPEN;
    }

    /** Begins to wait for the request; with the owner's lock held. */
    void await(ByteStream stream) {
        handshake = Handshake.await(cm.engine(), stream, cm.running().options(), this, cm.running().agent()::doorbell);
    }

    /** Whether the peer has sent nothing yet; with the owner's lock held. */
    boolean isSilent() {
        return handshake.isSilent();
    }

    @Override
    public void handler(CmHandler to) {
        handler = to;
    }

    // ---- commands ----

    @Override
    public void connect(CmService service, QpType type, InetSocketAddress from, InetSocketAddress to, ConnectionParameters parameters,
                        CmPathOptions options) {
        if (type != QpType.RC || service.space() != PortSpace.TCP) {
            throw new VerbsException(Errno.EOPNOTSUPP, "connect", "service " + type + " in port space " + service.space()
                + "; iWARP has RC in TCP");
        }
        requireFits("connect", parameters.privateData());
        cm.command(nowNs -> {
            require("connect", State.NEW);
            qp = cm.requireQp("connect", parameters.qpNum());
            state = State.CONNECTING;
            local = from;
            remote = to;
        });
        cm.link().connect(from, to, cm.running().options().timeoutNs(), stream -> cm.command(nowNs -> onStream(stream, parameters)),
            cause -> cm.command(nowNs -> onNoStream(cause)));
    }

    @Override
    public void accept(ConnectionParameters parameters, int qkey) {
        requireFits("accept", parameters.privateData());
        cm.command(nowNs -> {
            require("accept", State.REQUESTED, State.DESERTED);
            qp = cm.requireQp("accept", parameters.qpNum());
            if (!handshake.accept(qp, parameters.responderResources(), parameters.initiatorDepth(), parameters.privateData())) {
                // As in the kernel, which sends its reply without a check and finds out afterwards that the peer has left.
                state = State.CONNECTED;
                toError();
                handler.onEstablished(null);
                onDisconnected();
            }
        });
    }

    @Override
    public void reject(byte[] privateData) {
        requireFits("reject", privateData);
        cm.command(nowNs -> {
            require("reject", State.REQUESTED, State.DESERTED);
            over();
            handshake.reject(privateData);
        });
    }

    /** Does nothing: the queue pair of an initiator was ready when the reply was received. */
    @Override
    public void establish() {
    }

    @Override
    public void communicationEstablished() {
    }

    @Override
    public void disconnect() {
        cm.command(nowNs -> {
            if (state == State.CONNECTED && qp.state() == QpState.RTS) {
                qp.modify(new QpAttributes().state(QpState.SQD));
            }
        });
    }

    @Override
    public boolean movesQueuePair() {
        return true;
    }

    @Override
    public QpAttributes qpAttributes(QpState to, CmPathOptions options) {
        return switch (to) {
            case INIT -> new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(PORT).accessFlags(AccessFlags.REMOTE_ANY);
            case RTR, RTS -> null;
            default -> throw new VerbsException(Errno.EINVAL, "init_qp_attr", "state " + to + "; there are INIT, RTR and RTS");
        };
    }

    @Override
    public void close() {
        cm.command(nowNs -> {
            State before = state;
            if (before == State.OVER) {
                return;
            }
            if (before == State.HALF_OPEN) {
                cm.halfOpen().leave(remote.getAddress(), this);
            }
            over();
            switch (before) {
                case REQUESTED -> handshake.reject(NOTHING);
                case CONNECTED -> toError();
                case CONNECTING, HALF_OPEN -> abort();
                default -> { }
            }
        });
    }

    /** Moves the queue pair to ERR, unless the program has destroyed it. */
    private void toError() {
        if (cm.engine().find(qp.qpNum()) == qp) {
            qp.modify(new QpAttributes().state(QpState.ERR));
        }
    }

    /** Ends the handshake, if TCP is not connecting still. */
    private void abort() {
        if (handshake != null) {
            handshake.abort();
        }
    }

    private void over() {
        state = State.OVER;
        cm.forget(this);
    }

    private void require(String verb, State... fitting) {
        for (State each : fitting) {
            if (state == each) {
                return;
            }
        }
        throw new VerbsException(Errno.EINVAL, verb, "not in this state: " + state);
    }

    private static void requireFits(String verb, byte[] privateData) {
        if (privateData.length > SiwLimits.MAX_PRIVATE_DATA) {
            throw new VerbsException(Errno.EINVAL, verb, privateData.length + " bytes of private data; there is room for "
                + SiwLimits.MAX_PRIVATE_DATA);
        }
    }

    // ---- events, with the owner's lock held ----

    private void onStream(ByteStream stream, ConnectionParameters parameters) {
        if (state != State.CONNECTING || !qp.isConnectable()) {
            stream.abort();
            if (state == State.CONNECTING) {
                over();
                handler.onConnectError(-Errno.EINVAL.value());
            }
            return;
        }
        handshake = Handshake.initiate(cm.engine(), stream, cm.running().options(), this, cm.running().agent()::doorbell, qp,
            parameters.responderResources(), parameters.initiatorDepth(), parameters.privateData());
    }

    private void onNoStream(Errno reason) {
        if (state != State.CONNECTING) {
            return;
        }
        over();
        switch (reason) {
            case ECONNREFUSED, ECONNRESET -> handler.onRejected(-reason.value(), NOTHING);
            case ETIMEDOUT -> handler.onUnreachable(-reason.value(), NOTHING);
            case EMFILE -> handler.onConnectError(new VerbsException(reason, "connect", OpenFileLimit.advice()));
            default -> handler.onConnectError(-reason.value());
        }
    }

    @Override
    public void onRequest(Handshake from) {
        MpaResponder request = from.request();
        cm.halfOpen().leave(remote.getAddress(), this);
        state = State.REQUESTED;
        ConnectionParameters parameters = ConnectionParameters.builder().privateData(request.privateData())
            .responderResources(request.peersOrd()).initiatorDepth(request.peersIrd()).build();
        switch (verdict(parameters)) {
            case TAKEN -> { }
            case REFUSED -> {
                over();
                from.reject(NOTHING);
            }
            case DROPPED -> {
                over();
                from.abort();
            }
        }
    }

    /** Hands a request to the listener. A closed listener receives no more requests, not even from connections accepted earlier. */
    private RequestVerdict verdict(ConnectionParameters parameters) {
        return listener.isClosed() ? RequestVerdict.REFUSED
            : listener.handler().onRequest(this, new CmRequest(listener.service(), QpType.RC, local, remote, parameters));
    }

    @Override
    public void onAgreed(Handshake agreed, Agreement agreement) {
        state = State.CONNECTED;
        handshake = null;
        qp.addresses(local, remote);
        handler.onEstablished(listener != null ? null
            : ConnectionParameters.builder().privateData(agreement.privateData()).responderResources(agreement.ird())
                .initiatorDepth(agreement.ord()).build());
    }

    @Override
    public void onRejected(Handshake refused, byte[] privateData) {
        over();
        handler.onRejected(-Errno.ECONNRESET.value(), privateData);
    }

    @Override
    public void onFailed(Handshake failed, Failure failure) {
        if (listener != null) {
            onGone();
            return;
        }
        over();
        switch (failure) {
            case TIMED_OUT -> handler.onUnreachable(-Errno.ETIMEDOUT.value(), NOTHING);
            case PEER_LEFT -> handler.onRejected(-Errno.ECONNRESET.value(), NOTHING);
            case BROKE_RULES, QP_LOST -> handler.onConnectError(-Errno.EINVAL.value());
            case FAULT -> handler.onConnectError(-Errno.EIO.value());
        }
    }

    /** Handles the end of a responder before its request was answered: the application finds out when it answers. */
    private void onGone() {
        switch (state) {
            case HALF_OPEN -> {
                cm.halfOpen().leave(remote.getAddress(), this);
                over();
            }
            case REQUESTED -> {
                if (handler != null) {
                    state = State.DESERTED;
                } else {
                    // The handshake failed while the listener was called, and the application does not have the request.
                    over();
                }
            }
            default -> { }
        }
    }

    @Override
    public void onDisconnected() {
        if (state == State.CONNECTED) {
            over();
            handler.onDisconnected(0);
        }
    }
}
