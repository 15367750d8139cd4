// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Queue pairs that the connection manager connects, by IPv4: the server listens on a port of its own and tells the client which. */
final class CmConnection implements RdmaConnection {
    private static final String PORT = "RDMA CM TCP IPv4 server port";
    private static final int MIN_RNR_TIMER = 12;
    /** One READ or atomic at a time, retries without end. */
    private static final ConnectionParameters PARAMETERS = ConnectionParameters.DEFAULT.withReads(1, 1);
    /** Interval between checks for a failure of the peer while waiting for it. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Session session;
    private EventChannel events;
    private CmId listener;
    private CmId id;
    private int rdAtomic;

    CmConnection(Session session) {
        this.session = session;
    }

    @Override
    public QueuePair open(RdmaEnd end) {
        try {
            events = ConnectionManager.get().createEventChannel();
        } catch (VerbsException refused) {
            throw new QPerfFailure("rdma_create_event_channel failed", refused.getMessage());
        }
        if (session.isClient()) {
            call(end);
        } else {
            answer(end);
        }
        return id.qp();
    }

    // ---- the client ----

    private void call(RdmaEnd end) {
        InetSocketAddress server = new InetSocketAddress(ipv4(session.control().peerAddress()), session.receivePort(PORT));
        int timeoutMs = Math.clamp(TimeUnit.NANOSECONDS.toMillis(session.control().timeoutNs()), 1, Integer.MAX_VALUE);
        step("rdma_create_id", () -> id = ConnectionManager.get().createId(events, null, PortSpace.TCP));
        step("rdma_resolve_addr", () -> id.resolveAddress(null, server, timeoutMs));
        expect(CmEventType.ADDR_RESOLVED).ack();
        step("rdma_resolve_route", () -> id.resolveRoute(timeoutMs));
        expect(CmEventType.ROUTE_RESOLVED).ack();
        createQp(end);
        step("rdma_connect", () -> id.connect(PARAMETERS));
        expect(CmEventType.ESTABLISHED).ack();
    }

    private static InetAddress ipv4(InetAddress address) {
        if (address instanceof Inet4Address) {
            return address;
        }
        throw new QPerfFailure("getaddrinfo failed: Address family for hostname not supported",
            "with -cm1 the server listens on IPv4 addresses only; name it by one");
    }

    // ---- the server ----

    private void answer(RdmaEnd end) {
        step("rdma_create_id", () -> listener = ConnectionManager.get().createId(events, null, PortSpace.TCP));
        step("rdma_bind_addr", () -> listener.bind(new InetSocketAddress("0.0.0.0", 0)));
        step("rdma_listen", () -> listener.listen(0));
        session.sendPort(listener.localAddress().getPort(), PORT);
        CmEvent request = expect(CmEventType.CONNECT_REQUEST);
        id = request.id();
        request.ack();
        id.minRnrTimer(MIN_RNR_TIMER);
        createQp(end);
        step("rdma_accept", () -> id.accept(PARAMETERS));
        expect(CmEventType.ESTABLISHED).ack();
    }

    // ---- both ----

    private void createQp(RdmaEnd end) {
        Context context = id.verbs();
        rdAtomic = RdmaConnection.rdAtomic(context, session.request());
        QPerfFailure.attempt("failed to create QP", () -> id.createQp(end.preparedPd(context), end.attributes()));
    }

    private static void step(String what, Runnable call) {
        try {
            call.run();
        } catch (VerbsException refused) {
            throw new QPerfFailure(what + " failed", refused.getMessage());
        }
    }

    /** @throws QPerfFailure something else happened, or nothing did in time */
    private CmEvent expect(CmEventType expected) {
        long untilNs = System.nanoTime() + session.control().timeoutNs();
        CmEvent event = events.getEvent(LOOK_NS);
        while (event == null) {
            session.control().look("node information");
            if (System.nanoTime() - untilNs >= 0) {
                throw new QPerfFailure("failed to receive event from RDMA CM channel", "no " + expected.text() + " in time");
            }
            event = events.getEvent(LOOK_NS);
        }
        if (event.type() == expected) {
            return event;
        }
        CmEventType type = event.type();
        String cause = event.detail() == null ? "" : ": " + event.detail();
        int status = event.status();
        event.ack();
        throw new QPerfFailure("unexpected event from RDMA CM: " + text(type) + "\n    expecting: " + text(expected),
            type.text() + ", status " + status + cause);
    }

    /** In the words of the original. */
    private static String text(CmEventType type) {
        return switch (type) {
            case ADDR_RESOLVED -> "Address resolved";
            case ADDR_ERROR -> "Address error";
            case ROUTE_RESOLVED -> "Route resolved";
            case ROUTE_ERROR -> "Route error";
            case CONNECT_REQUEST -> "Connect request";
            case CONNECT_RESPONSE -> "Connect response";
            case CONNECT_ERROR -> "Connect error";
            case UNREACHABLE -> "Event unreachable";
            case REJECTED -> "Event rejected";
            case ESTABLISHED -> "Event established";
            case DISCONNECTED -> "Event disconnected";
            case DEVICE_REMOVAL -> "Device removal";
            case MULTICAST_JOIN -> "Multicast join";
            case MULTICAST_ERROR -> "Multicast error";
            case ADDR_CHANGE, TIMEWAIT_EXIT -> type.text();
        };
    }

    @Override
    public Node node(long address, int rkey) {
        return new Node(address, 0, 0, 0, rkey, rdAtomic, false);
    }

    /** The connection manager has done it. */
    @Override
    public void connect(Node peer) {
    }

    @Override
    public void disconnect() {
        if (session.isClient()) {
            QPerfFailure.attempt("rdma_disconnect failed", id::disconnect);
        }
        // How the connection ends makes no difference to what was measured.
        CmEvent event = events.getEvent(session.control().timeoutNs());
        if (event == null) {
            session.debug("no " + CmEventType.DISCONNECTED.text() + " in time");
        } else {
            event.ack();
        }
    }

    @Override
    public void closeQueuePair() {
        if (id != null) {
            id.destroyQp();
        }
    }

    @Override
    public void close() {
        if (id != null) {
            id.close();
        }
        if (listener != null) {
            listener.close();
        }
        if (events != null) {
            events.close();
        }
    }
}
