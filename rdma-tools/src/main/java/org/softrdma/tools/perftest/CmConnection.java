// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * Queue pairs that the connection manager connects, to the port of the control connection: after an exchange with the peer the server
 * listens there again. For datagrams, the client receives the server's address; if the server sends, the client replies with its queue pair
 * number.
 */
final class CmConnection implements Connection {
    private static final int ATTEMPTS = 10;
    private static final int PAUSE_MS = 100;
    private static final String FAILED = "\nFailed to create RDMA CM connection.\nFailed to create RDMA CM connection with resources.";

    private final Endpoint endpoint;
    private final Parameters parameters;
    private final Peer peer;
    private final List<CmId> ids = new ArrayList<>();
    private CmId listener;

    CmConnection(Endpoint endpoint, Peer peer) {
        this.endpoint = endpoint;
        this.parameters = endpoint.parameters;
        this.peer = peer;
    }

    @Override
    public void open() {
        try {
            if (parameters.isServer()) {
                // Listens before the client is notified: a client of the original fails if it is refused once.
                listener = createId();
                CmAddress.listen(listener, parameters, parameters.queuePairs);
                peer.meet(Keys.NONE);
                serve();
            } else {
                peer.meet(Keys.NONE);
                for (int i = 0; i < parameters.queuePairs; i++) {
                    call(i);
                }
            }
        } catch (VerbsException refused) {
            throw new ToolFailure(refused.getMessage() + FAILED);
        }
        peer.meet(Keys.NONE);
    }

    private CmId createId() {
        return ConnectionManager.get(parameters.origin).createId(null, null, parameters.isUd() ? PortSpace.UDP : PortSpace.TCP);
    }

    // ---- server ----

    private void serve() {
        for (int i = 0; i < parameters.queuePairs; i++) {
            CmId id = listener.getRequest();
            prepare(i, id);
            if (serverSends()) {
                id.qp().postReceive(new ReceiveRequest().begin(0)
                    .element(endpoint.region(), endpoint.sendsFrom(i), Endpoint.GRH_BYTES + Integer.BYTES));
            }
            id.accept(connectionParameters());
            if (serverSends()) {
                learnDestination(i, id);
            }
        }
    }

    private void learnDestination(int index, CmId id) {
        WorkCompletion first = await(endpoint.receiveCq());
        endpoint.destination(index,
            endpoint.pd().createAhFromWc(first, endpoint.memory().asSlice(endpoint.sendsFrom(index), Endpoint.GRH_BYTES), id.port()),
            first.immediate(), id.qp().query().qkey());
    }

    // ---- client ----

    /** Connects, again while the server does not listen yet. */
    private void call(int index) {
        for (int attempt = 1;; attempt++) {
            CmId id = createId();
            try {
                CmAddress.resolve(id, parameters);
                prepare(index, id);
                id.connect(connectionParameters());
                if (parameters.isUd()) {
                    takeDestination(index, id.event().datagram());
                }
                return;
            } catch (VerbsException refused) {
                ids.remove(id);
                id.close();
                if (attempt == ATTEMPTS || refused.errno() != Errno.ECONNREFUSED) {
                    throw refused;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void takeDestination(int index, DatagramParameters server) {
        endpoint.destination(index, endpoint.pd().createAh(server.addressVector()), server.qpNum(), server.qkey());
        if (serverSends()) {
            QueuePair qp = endpoint.queuePair(index);
            Endpoint.Destination to = endpoint.destination(index);
            qp.postSend(new SendRequest().sendWithImmediate(qp.qpNum()).to(to.handle(), to.qpn(), to.qkey())
                .element(endpoint.region(), endpoint.sendsFrom(index), Integer.BYTES).signaled());
            await(endpoint.sendCq());
        }
    }

    // ---- both ----

    /** Whether the server sends and needs the address of the client, which itself has the server's from the connection manager. */
    private boolean serverSends() {
        return parameters.isUd() && (parameters.latency || parameters.duplex || parameters.sends == parameters.isServer());
    }

    private void prepare(int index, CmId id) {
        ids.add(id);
        if (endpoint.context() == null) {
            endpoint.open(id.verbs());
            // Identifiers first: they use the other objects.
            endpoint.closeFirst("Failed to destroy RDMA CM contexts.", this::closeIds);
        }
        if (parameters.connection == ConnectionType.RC) {
            setRnrTimer(id);
        }
        id.createQp(endpoint.pd(), endpoint.queuePairAttributes());
        endpoint.queuePair(index, id.qp());
    }

    /** Sets the timer where the connection manager has that option; librdmacm decides by itself. */
    private static void setRnrTimer(CmId id) {
        try {
            id.minRnrTimer(DirectConnection.MIN_RNR_TIMER);
        } catch (VerbsException refused) {
            if (refused.errno() != Errno.EOPNOTSUPP) {
                throw refused;
            }
        }
    }

    /** Closes the listener last: it waits for its events that the others still hold. */
    private void closeIds() {
        ids.forEach(CmId::close);
        if (listener != null) {
            listener.close();
        }
    }

    private ConnectionParameters connectionParameters() {
        int retries = Math.min(parameters.retryCount, ConnectionParameters.MAX_RETRIES);
        int reads = parameters.verb.fetches() ? parameters.outstandingReads : 0;
        return ConnectionParameters.DEFAULT.withReads(reads, reads).withRetries(retries, retries);
    }

    private WorkCompletion await(CompletionQueue cq) {
        return await(cq, new Idle(endpoint, Measurement.PATIENCE_NS, 1));
    }

    /** @throws ToolFailure also when a peer that vanished has kept this end waiting for too long */
    static WorkCompletion await(CompletionQueue cq, Idle idle) {
        WorkCompletion[] one = WorkCompletion.array(1);
        while (cq.poll(one) == 0) {
            idle.nothingCame(0);
        }
        if (!one[0].isSuccess()) {
            throw new ToolFailure("Failed to poll CQ.\nBad WQE status: " + one[0].status().value() + " ; ID: " + one[0].wrId() + FAILED);
        }
        return one[0];
    }

    @Override
    public void connect(List<Keys> own, List<Keys> peers) {
        // done by open
    }

    @Override
    public void disconnect() {
        if (!parameters.isServer() && !parameters.isUd()) {
            ids.forEach(CmConnection::disconnect);
        }
    }

    /** Disconnects, also if the peer was first. */
    private static void disconnect(CmId id) {
        try {
            id.disconnect();
        } catch (VerbsException gone) {
            // already disconnected
        }
    }
}
