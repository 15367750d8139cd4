// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.List;
import org.softrdma.tools.cli.Opened;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;

/** Queue pairs connected directly, by the keys that the ends exchanged. */
final class DirectConnection implements Connection {
    static final int MIN_RNR_TIMER = 12;

    private static final int QKEY = 0x11111111;
    private static final int HOP_LIMIT = 0xff;
    private static final int RETRIES = 7;

    private final Endpoint endpoint;
    private final Parameters parameters;
    private final Context context;

    DirectConnection(Endpoint endpoint, Context context) {
        this.endpoint = endpoint;
        this.parameters = endpoint.parameters;
        this.context = context;
    }

    @Override
    public void open() {
        endpoint.open(context);
        for (int i = 0; i < parameters.queuePairs; i++) {
            int index = i;
            Opened.attempt("Unable to create QP.\nFailed to create QP.\n Couldn't create IB resources",
                () -> endpoint.queuePair(index, endpoint.pd().createQp(endpoint.queuePairAttributes())));
            QueuePair qp = endpoint.queuePair(i);
            endpoint.closeFirst("Couldn't destroy QP", qp::close);
            Opened.attempt("Failed to modify QP to INIT", () -> qp.modify(initial()));
        }
    }

    private QpAttributes initial() {
        QpAttributes attributes = new QpAttributes().state(QpState.INIT).pkeyIndex(parameters.pkeyIndex).port(parameters.ibPort);
        if (parameters.isUd()) {
            return attributes.qkey(QKEY);
        }
        return attributes.accessFlags(switch (parameters.verb) {
            case SEND -> AccessFlags.REMOTE_WRITE | AccessFlags.LOCAL_WRITE;
            case WRITE -> AccessFlags.REMOTE_WRITE;
            case READ -> AccessFlags.REMOTE_READ;
            case ATOMIC -> AccessFlags.REMOTE_ATOMIC;
        });
    }

    @Override
    public void connect(List<Keys> own, List<Keys> peers) {
        if (own.getFirst().gid().isIpv4Mapped() != peers.getFirst().gid().isIpv4Mapped()) {
            throw new ToolFailure("\n Found Incompatibility issue with GID types.\n Please Try to use a different IP version.\n");
        }
        for (int i = 0; i < parameters.queuePairs; i++) {
            connect(i, own.get(i), peers.get(i));
        }
    }

    /** A side that only receives stays ready to receive. */
    private void connect(int index, Keys own, Keys peer) {
        QueuePair qp = endpoint.queuePair(index);
        AddressVector vector = new AddressVector(peer.gid(), parameters.gidIndex, 0, HOP_LIMIT, parameters.trafficClass,
            parameters.serviceLevel, parameters.ibPort);
        attempt("Failed to modify QP " + qp.qpNum() + " to RTR", () -> qp.modify(readyToReceive(vector, own, peer)));
        if (!parameters.posts()) {
            return;
        }
        attempt("Failed to modify QP to RTS", () -> qp.modify(readyToSend(own, peer)));
        if (parameters.isUd()) {
            attempt("Failed to create AH", () -> endpoint.destination(index, endpoint.pd().createAh(vector), peer.qpn(), QKEY));
        }
    }

    private QpAttributes readyToReceive(AddressVector vector, Keys own, Keys peer) {
        QpAttributes attributes = new QpAttributes().state(QpState.RTR);
        return switch (parameters.connection) {
            case UD -> attributes;
            case UC -> attributes.addressVector(vector).pathMtu(parameters.mtu).destQpn(peer.qpn()).rqPsn(peer.psn());
            case RC -> attributes.addressVector(vector).pathMtu(parameters.mtu).destQpn(peer.qpn()).rqPsn(peer.psn())
                .maxDestRdAtomic(own.outReads()).minRnrTimer(MIN_RNR_TIMER);
        };
    }

    private QpAttributes readyToSend(Keys own, Keys peer) {
        QpAttributes attributes = new QpAttributes().state(QpState.RTS).sqPsn(own.psn());
        return parameters.connection != ConnectionType.RC ? attributes
            : attributes.timeout(parameters.qpTimeout).retryCount(RETRIES).rnrRetry(RETRIES).maxRdAtomic(peer.outReads());
    }

    private static void attempt(String complaint, Runnable verb) {
        Opened.attempt(complaint + "\n Unable to Connect the HCA's through the link", verb);
    }

    @Override
    public void disconnect() {
        // the last exchange notifies the peer
    }
}
