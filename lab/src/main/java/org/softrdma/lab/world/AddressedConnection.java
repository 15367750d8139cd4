// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.net.InetSocketAddress;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** A connection by address: its right end listens, its left end connects; the events are handled as any program does. */
final class AddressedConnection {
    private static final int FIRST_PORT = 7471;
    private static final int RESOLVE_MS = 2000;

    private final SimulatedWorld world;
    private final Scene.Connection connection;
    private final End left;
    private final End right;
    private final EventChannel clients;
    private final EventChannel servers;
    private final CmId listener;
    private final InetSocketAddress address;
    private CmId client;
    private CmId server;

    AddressedConnection(SimulatedWorld world, Scene.Connection connection, End left, End right) {
        this.world = world;
        this.connection = connection;
        this.left = left;
        this.right = right;
        clients = world.fabric().connectionManager(left.device).createEventChannel();
        servers = world.fabric().connectionManager(right.device).createEventChannel();
        listener = world.fabric().connectionManager(right.device).createId(servers, null, PortSpace.TCP);
        address = new InetSocketAddress(world.fabric().address(right.device), FIRST_PORT + left.number);
        listener.bind(address);
        listener.listen(1);
    }

    private ConnectionParameters parameters() {
        return ConnectionParameters.DEFAULT.withReads(connection.reads(), connection.reads());
    }

    void connect() {
        if (client != null) {
            throw new IllegalArgumentException("this connection was begun already");
        }
        client = world.fabric().connectionManager(left.device).createId(clients, null, PortSpace.TCP);
        world.note("action", left.number, left.host + ": rdma_resolve_addr " + address);
        client.resolveAddress(null, address, RESOLVE_MS);
    }

    void disconnect() {
        if (client == null) {
            throw new IllegalArgumentException("there is no connection yet");
        }
        world.note("action", left.number, left.host + ": rdma_disconnect");
        client.disconnect();
    }

    /** Handles the events that wait, of both ends. */
    void handleEvents() {
        for (CmEvent event = servers.getEvent(0); event != null; event = servers.getEvent(0)) {
            handle(event, right, false);
        }
        for (CmEvent event = clients.getEvent(0); event != null; event = clients.getEvent(0)) {
            handle(event, left, true);
        }
    }

    private void handle(CmEvent event, End end, boolean isClient) {
        world.note(event.status() == 0 ? "event" : "failure", end.number, end.host + ": " + event);
        try {
            switch (event.type()) {
                case ADDR_RESOLVED -> event.id().resolveRoute(RESOLVE_MS);
                case ROUTE_RESOLVED -> {
                    createQp(event.id(), left);
                    event.id().connect(parameters());
                    world.note("action", left.number, left.host + ": rdma_connect");
                }
                case CONNECT_REQUEST -> {
                    server = event.id();
                    createQp(server, right);
                    world.postReceives(connection, right);
                    server.accept(parameters());
                    world.note("action", right.number, right.host + ": rdma_accept");
                }
                case DISCONNECTED -> {
                    if (!isClient) {
                        event.id().disconnect();
                    }
                }
                default -> {
                    // Shown, and nothing to do.
                }
            }
        } catch (VerbsException refused) {
            world.note("refused", end.number, end.host + ": " + refused.getMessage());
        } finally {
            event.ack();
        }
    }

    private void createQp(CmId id, End end) {
        // The device's own context is another one than the lab's: memory and queues must be of the identifier's.
        end.adopt(id);
        id.createQp(end.pd, QpInitAttributes.rc(end.cq, SimulatedWorld.capabilities()));
        end.qp = id.qp();
    }

    void close() {
        // The fabric closes what depends on the contexts; identifiers must go first.
        for (CmId each : new CmId[] {client, server, listener}) {
            if (each != null) {
                if (each.qp() != null) {
                    each.destroyQp();
                }
                each.close();
            }
        }
    }
}
