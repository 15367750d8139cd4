// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.net.InetSocketAddress;
import org.softrdma.cm.CmConnection;
import org.softrdma.cm.CmHandler;
import org.softrdma.cm.CmPathOptions;
import org.softrdma.cm.CmService;
import org.softrdma.rxe.cm.Connection;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.SidrRequest;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.wire.cm.CmIpHeader;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.CmSidrReq;

/**
 * One end of an rdma_cm connection, or of a datagram look-up. Takes the device's lock for each call and delegates to the {@link CmRole} of
 * the protocol; the role is chosen once, by {@link #connect} or by the request that was received.
 */
final class RxeCmConnection implements CmConnection {
    static final byte[] NO_DATA = {};

    private final RxeCm cm;
    private final int startingPsn;
    private CmHandler handler;
    private CmRole role = CmRole.UNCONNECTED;
    private boolean closed;

    /** Creates an end without a role; {@link #connect} gives it one. */
    RxeCmConnection(RxeCm cm) {
        this.cm = cm;
        startingPsn = cm.random().nextInt(1 << 24);
    }

    /** Creates the passive end of a connection, for a REQ that was received. */
    RxeCmConnection(RxeCm cm, Connection connection) {
        this(cm);
        role = new ConnectionRole(this, connection);
    }

    /** Creates the responding end of a datagram look-up, for a SIDR_REQ that was received. */
    RxeCmConnection(RxeCm cm, SidrRequest request) {
        this(cm);
        role = new SidrRequestRole(request);
    }

    RxeCm cm() {
        return cm;
    }

    /** First PSN that the queue pair expects, u24. */
    int startingPsn() {
        return startingPsn;
    }

    CmHandler handler() {
        return handler;
    }

    @Override
    public void handler(CmHandler newHandler) {
        handler = newHandler;
    }

    @Override
    public void connect(CmService service, QpType type, InetSocketAddress local, InetSocketAddress remote,
                        ConnectionParameters parameters, CmPathOptions options) {
        Gid from = Gid.of(local.getAddress());
        Gid to = Gid.of(remote.getAddress());
        int room = (type == QpType.UD ? CmSidrReq.PRIVATE_DATA_LENGTH : CmReq.PRIVATE_DATA_LENGTH) - CmIpHeader.LENGTH;
        requireFits("connect", parameters.privateData(), room);
        byte[] privateData = RxeCm.withIpHeader(from, local.getPort(), to, parameters.privateData());
        SubnetRoute route = (SubnetRoute) options.route();
        GidPair gids = route == null ? new GidPair(cm.gidType(), from, to) : route.lids();
        if (route == null) {
            cm.awaitReachable(gids);
        }
        cm.command(nowNs -> {
            if (closed || role != CmRole.UNCONNECTED) {
                throw wrongState("connect", describe());
            }
            cm.requireRoute(gids);
            role = type == QpType.UD
                ? new SidrQueryRole(this, nowNs, service, gids, options, privateData)
                : ConnectionRole.request(this, nowNs, gids, options, ConnectionRole.choice(type, parameters).serviceId(service.serviceId())
                    .flowLabel(ConnectionRole.flowLabel(local.getPort(), remote.getPort())).privateData(privateData));
        });
    }

    /** Requests a connection to a service on a subnet, with private data that has no header of rdma_cm. */
    void connect(long serviceId, SubnetRoute route, ConnectionParameters parameters) {
        requireFits("connect", parameters.privateData(), CmReq.PRIVATE_DATA_LENGTH);
        CmPathOptions options = new CmPathOptions(0, CmPathOptions.UNSET, CmPathOptions.UNSET, route);
        cm.command(nowNs -> {
            cm.requireRoute(route.lids());
            role = ConnectionRole.request(this, nowNs, route.lids(), options, ConnectionRole.choice(QpType.RC, parameters)
                .serviceId(serviceId).privateData(parameters.privateData()));
        });
    }

    @Override
    public void accept(ConnectionParameters parameters, int qkey) {
        cm.command(nowNs -> openRole("accept").accept(nowNs, parameters, qkey));
    }

    @Override
    public void reject(byte[] privateData) {
        cm.command(nowNs -> openRole("reject").reject(nowNs, privateData));
    }

    @Override
    public void establish() {
        cm.command(nowNs -> openRole("establish").establish(nowNs));
    }

    @Override
    public void communicationEstablished() {
        cm.command(nowNs -> {
            if (!closed) {
                role.communicationEstablished();
            }
        });
    }

    @Override
    public void disconnect() {
        cm.command(nowNs -> {
            if (!closed) {
                role.disconnect(nowNs);
            }
        });
    }

    @Override
    public boolean movesQueuePair() {
        return false;
    }

    @Override
    public QpAttributes qpAttributes(QpState to, CmPathOptions options) {
        return cm.asOwner(() -> role.qpAttributes(to, options));
    }

    @Override
    public void close() {
        cm.command(nowNs -> {
            if (!closed) {
                closed = true;
                role.abandon(nowNs);
            }
        });
    }

    private CmRole openRole(String verb) {
        if (closed) {
            throw wrongState(verb, describe());
        }
        return role;
    }

    private String describe() {
        return closed ? "closed" : role.describe();
    }

    static VerbsException wrongState(String verb, String state) {
        return new VerbsException(Errno.EINVAL, verb, "not possible in this state: " + state);
    }

    /** Checks the length of private data. */
    static void requireFits(String verb, byte[] privateData, int room) {
        if (privateData.length > room) {
            throw new VerbsException(Errno.EINVAL, verb, privateData.length + " bytes of private data; there is room for " + room);
        }
    }
}
