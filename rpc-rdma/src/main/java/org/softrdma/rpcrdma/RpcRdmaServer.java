// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.softrdma.rpcrdma.connection.ConnectionListener;
import org.softrdma.rpcrdma.machine.TransportCounters;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * Server of RPC-over-RDMA version 1: takes connections by address and passes their calls to an {@link RpcService}. The clients may be
 * Linux's NFS client or any other program of the protocol, over any device.
 *
 * <p>A client that cannot take RDMA READs of its memory is refused, as Linux's nfsd does: the server could not fetch its calls.
 */
public final class RpcRdmaServer implements AutoCloseable {
    private final RpcService service;
    private final ServerOptions options;
    private final TransportCounters counters = new TransportCounters();
    private final ConnectionListener<ServerConnection> listener;

    private RpcRdmaServer(RpcService service, ServerOptions options, List<InetSocketAddress> addresses) {
        this.service = service;
        this.options = options;
        listener = new ConnectionListener<>("rpc-rdma", addresses, options.maxConnections(), this::onRequest);
    }

    /**
     * Starts a server.
     *
     * @param addresses addresses to listen at; of the wildcard addresses, that of IPv6 means IPv6 only. Port 0 for any
     * @param options   of the server
     * @param service   executes the calls
     * @return the server, listening
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, ENODEV
     */
    public static RpcRdmaServer start(List<InetSocketAddress> addresses, ServerOptions options, RpcService service) {
        RpcRdmaServer server = new RpcRdmaServer(service, options, List.copyOf(addresses));
        server.listener.start();
        return server;
    }

    /** {@return the addresses, with the ports that were assigned} */
    public List<InetSocketAddress> addresses() {
        return listener.addresses();
    }

    /** {@return counters of all connections that are not 0, by name} */
    public Map<String, Long> counters() {
        return counters.snapshot();
    }

    /** {@return the connections that are open} */
    public List<RpcConnection> connections() {
        return List.copyOf(listener.connections());
    }

    RpcService service() {
        return service;
    }

    TransportCounters transportCounters() {
        return counters;
    }

    private void onRequest(CmId id, ConnectionParameters request) {
        if (request.initiatorDepth() == 0) {
            refuse(id, "it permits no RDMA READs");
        } else if (!listener.hasRoom()) {
            refuse(id, "there are " + options.maxConnections() + " connections already");
        } else {
            accept(id, request);
        }
    }

    private void accept(CmId id, ConnectionParameters request) {
        ServerConnection connection;
        try {
            connection = new ServerConnection(this, id, request, options);
        } catch (VerbsException exhausted) {
            refuse(id, exhausted.getMessage());
            return;
        }
        listener.accept(id, connection, connection.accepted(request));
    }

    private void refuse(CmId id, String reason) {
        listener.refuse(id, new byte[0], reason);
    }

    /** Forgets a connection whose resources are free. */
    void onFreed(ServerConnection connection) {
        listener.onFreed(connection);
    }

    /** Runs a step on a thread that holds no lock and uses no connection. */
    void later(Runnable step) {
        listener.later(step);
    }

    /** Stops listening, ends all connections, and waits some seconds for calls in work. */
    @Override
    public void close() {
        listener.close();
    }
}
