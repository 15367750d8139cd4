// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ipoib.IpoibConnection;
import org.softrdma.wire.ipoib.IpoibHeader;

/**
 * RC connections of an interface in connected mode. Data goes one way on each: an interface sends by connections that it has requested, and
 * receives by those that it has accepted, as Linux does. Two interfaces that send to each other have two connections, also if both began at
 * once. A connection that failed is forgotten, and requested anew when there is a packet; after a refusal, packets go as datagrams for some
 * time. Source: RFC 4755 §3.2 to §3.4.
 */
final class Connections {
    /** Connections that this interface has requested at most; the one that was not used for the longest time makes room. */
    static final int MAX_REQUESTED = 128;
    /** Connections that this interface has accepted at most. */
    static final int MAX_ACCEPTED = 128;
    /** Packets of a connection that wait until it is made, or to be sent. */
    static final int MAX_WAITING = 256;
    /** Bytes that wait for one connection. */
    static final int MAX_WAITING_BYTES = 4 << 20;
    /** Bytes that wait for all connections. */
    static final int MAX_BYTES = 32 << 20;
    /** Messages of a connection that are sent, and not acknowledged yet. */
    static final int WINDOW = 16;
    /** Time for an answer to a request. */
    static final long TIMEOUT_NS = 2_000_000_000L;
    /** Times that a connection is requested at most. */
    static final int MAX_TRIES = 3;
    /** Time in which packets to a peer that accepts no connection go as datagrams. */
    static final long REFUSED_NS = 5_000_000_000L;
    /** Time after which a connection without messages is closed. */
    static final long IDLE_NS = 300_000_000_000L;

    /** Methods of the interface that connections call. */
    interface Owner {
        /** Sends a packet as datagram: the peer takes no connection at the moment. */
        void fallBack(LinkAddress to, ByteBuffer path, ByteBuffer payload);

        /** A packet is longer than the peer receives: its sender is notified. */
        void tooLong(ByteBuffer payload, int mtu);

        /** A peer to which a connection existed is gone: its address must be confirmed. */
        void lost(LinkAddress peer);
    }

    private enum State { REQUESTED, READY, REFUSED }

    private static final class Requested {
        final LinkAddress peer;
        final ArrayDeque<ByteBuffer> waiting = new ArrayDeque<>();
        ByteBuffer path;
        State state = State.REQUESTED;
        int number;
        int tries;
        int bytes;
        /** Longest message that the peer receives. */
        int receiveMtu;
        int inFlight;
        /** When the request times out, the refusal is over, or the connection was idle for long enough. */
        long dueNs;

        Requested(LinkAddress peer) {
            this.peer = peer;
        }
    }

    private static final class Accepted {
        final LinkAddress peer;
        long dueNs;

        Accepted(LinkAddress peer) {
            this.peer = peer;
        }
    }

    private final Counters<IpoibCounter> counters;
    private final byte[] privateData;
    private final Owner owner;
    private final Map<LinkAddress, Requested> requested = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Integer, Requested> byNumber = new HashMap<>();
    private final Map<Integer, Accepted> accepted = new LinkedHashMap<>();
    private final ArrayDeque<ConnectionStep> steps = new ArrayDeque<>();
    /** Connections with messages that may be sent, in the order of their turns. */
    private final ArrayDeque<Requested> sendable = new ArrayDeque<>();
    private int bytes;
    private int lastNumber;

    /** @param qpn UD queue pair of the interface */
    Connections(int qpn, Counters<IpoibCounter> counters, Owner owner) {
        this.counters = counters;
        this.owner = owner;
        ByteBuffer data = ByteBuffer.allocate(IpoibConnection.LENGTH);
        IpoibConnection.QPN.set(data, 0, qpn);
        IpoibConnection.RECEIVE_MTU.set(data, 0, IpoibConnection.MAX_MTU + IpoibHeader.LENGTH);
        privateData = data.array();
    }

    /** Private data of REQ and REP. */
    byte[] privateData() {
        return privateData.clone();
    }

    // ---- packets to send ----

    /** Sends by the connection to a peer, which is requested if there is none. */
    void send(LinkAddress to, ByteBuffer path, ByteBuffer payload, long nowNs) {
        Requested connection = requested.get(to);
        if (connection == null) {
            connection = new Requested(to);
            makeRoom();
            requested.put(to, connection);
            connection.path = path;
            request(connection, nowNs);
        }
        connection.path = path;
        if (connection.state == State.REFUSED) {
            owner.fallBack(to, path, payload);
        } else if (connection.state == State.READY && payload.capacity() > connection.receiveMtu) {
            owner.tooLong(payload, connection.receiveMtu - IpoibHeader.LENGTH);
        } else {
            enqueue(connection, payload, nowNs);
        }
    }

    private void enqueue(Requested connection, ByteBuffer payload, long nowNs) {
        int length = payload.capacity();
        if (connection.waiting.size() == MAX_WAITING || connection.bytes + length > MAX_WAITING_BYTES || bytes + length > MAX_BYTES) {
            counters.count(IpoibCounter.DROP_IPOIB_QUEUE_FULL);
            return;
        }
        connection.waiting.add(payload);
        connection.bytes += length;
        bytes += length;
        if (connection.state == State.READY) {
            connection.dueNs = nowNs + IDLE_NS;
            offer(connection);
        }
    }

    private void offer(Requested connection) {
        if (connection.state == State.READY && connection.waiting.size() > 0 && connection.inFlight < WINDOW
                && !sendable.contains(connection)) {
            sendable.add(connection);
        }
    }

    private ByteBuffer take(Requested connection) {
        ByteBuffer payload = connection.waiting.remove();
        connection.bytes -= payload.capacity();
        bytes -= payload.capacity();
        return payload;
    }

    private void makeRoom() {
        if (requested.size() == MAX_REQUESTED) {
            Requested eldest = requested.values().iterator().next();
            end(eldest, IpoibCounter.DROP_IPOIB_QUEUE_FULL);
        }
    }

    private void request(Requested connection, long nowNs) {
        connection.state = State.REQUESTED;
        connection.number = nextNumber();
        connection.tries++;
        connection.dueNs = nowNs + TIMEOUT_NS;
        byNumber.put(connection.number, connection);
        steps.add(new ConnectionStep.Connect(connection.number, connection.path, IpoibConnection.serviceId(connection.peer.qpn()),
            privateData()));
    }

    private int nextNumber() {
        do {
            lastNumber = lastNumber == Integer.MAX_VALUE ? 1 : lastNumber + 1;
        } while (byNumber.containsKey(lastNumber) || accepted.containsKey(lastNumber));
        return lastNumber;
    }

    /** Closes the connection proper; its peer and packets stay. */
    private void close(Requested connection) {
        byNumber.remove(connection.number);
        sendable.remove(connection);
        connection.inFlight = 0;
        steps.add(new ConnectionStep.Close(connection.number));
    }

    /** Forgets a peer; its packets are dropped for a reason. */
    private void end(Requested connection, IpoibCounter reason) {
        if (connection.state != State.REFUSED) {
            close(connection);
        }
        while (!connection.waiting.isEmpty()) {
            take(connection);
            counters.count(reason);
        }
        requested.remove(connection.peer, connection);
    }

    /** The peer accepts no connection: what waits goes as datagrams, and so does what is sent soon. */
    private void refuse(Requested connection, long nowNs) {
        close(connection);
        connection.state = State.REFUSED;
        connection.dueNs = nowNs + REFUSED_NS;
        counters.count(IpoibCounter.IPOIB_CONNECTIONS_FAILED);
        while (!connection.waiting.isEmpty()) {
            owner.fallBack(connection.peer, connection.path, take(connection));
        }
    }

    // ---- events ----

    /**
     * The peer accepted a request.
     *
     * @param data private data of its REP
     * @return whether to confirm it; if not, the connection is closed
     */
    boolean onReply(int number, byte[] data, long nowNs) {
        Requested connection = byNumber.get(number);
        if (connection == null || connection.state != State.REQUESTED) {
            return false;
        }
        long receiveMtu = receiveMtu(data);
        if (receiveMtu == 0) {
            refuse(connection, nowNs);
            return false;
        }
        connection.receiveMtu = (int) Math.min(receiveMtu, IpoibConnection.MAX_MTU + IpoibHeader.LENGTH);
        connection.state = State.READY;
        connection.tries = 0;
        connection.dueNs = nowNs + IDLE_NS;
        counters.count(IpoibCounter.IPOIB_CONNECTIONS);
        int waiting = connection.waiting.size();
        for (int i = 0; i < waiting; i++) {
            ByteBuffer payload = take(connection);
            if (payload.capacity() > connection.receiveMtu) {
                owner.tooLong(payload, connection.receiveMtu - IpoibHeader.LENGTH);
            } else {
                enqueue(connection, payload, nowNs);
            }
        }
        return true;
    }

    /** Longest message in private data, u32; 0 if there is none, or it has no room for a packet. */
    private static long receiveMtu(byte[] data) {
        long mtu = data.length < IpoibConnection.LENGTH ? 0 : IpoibConnection.RECEIVE_MTU.get(ByteBuffer.wrap(data), 0) & 0xFFFF_FFFFL;
        return mtu > IpoibHeader.LENGTH ? mtu : 0;
    }

    /**
     * A peer requests a connection. One of the same interface that exists already is closed: its peer has forgotten it.
     *
     * @param port GID of the peer's port
     * @param data private data of its REQ
     * @return number of the connection; 0 to reject it
     */
    int onRequest(Gid port, byte[] data, long nowNs) {
        if (receiveMtu(data) == 0) {
            counters.count(IpoibCounter.DROP_IPOIB_MALFORMED);
            return 0;
        }
        LinkAddress peer = new LinkAddress(IpoibConnection.QPN.get(ByteBuffer.wrap(data), 0), port, true);
        for (Map.Entry<Integer, Accepted> each : accepted.entrySet()) {
            if (each.getValue().peer.equals(peer)) {
                accepted.remove(each.getKey());
                steps.add(new ConnectionStep.Close(each.getKey()));
                break;
            }
        }
        if (accepted.size() == MAX_ACCEPTED) {
            counters.count(IpoibCounter.DROP_IPOIB_CONNECTION_REFUSED);
            return 0;
        }
        Accepted connection = new Accepted(peer);
        connection.dueNs = nowNs + IDLE_NS;
        int number = nextNumber();
        accepted.put(number, connection);
        return number;
    }

    /** A message was received by an accepted connection. */
    void onMessage(int number, long nowNs) {
        Accepted connection = accepted.get(number);
        if (connection != null) {
            connection.dueNs = nowNs + IDLE_NS;
        }
    }

    /** A message was acknowledged. */
    void onSent(int number) {
        Requested connection = byNumber.get(number);
        if (connection != null) {
            connection.inFlight--;
            offer(connection);
        }
    }

    /** A connection was refused, could not be made, or has ended. */
    void onEnd(int number, long nowNs) {
        Requested connection = byNumber.get(number);
        if (connection == null) {
            if (accepted.remove(number) != null) {
                steps.add(new ConnectionStep.Close(number));
            }
        } else if (connection.state == State.REQUESTED) {
            refuse(connection, nowNs);
        } else {
            counters.count(IpoibCounter.IPOIB_CONNECTIONS_FAILED);
            end(connection, IpoibCounter.DROP_IPOIB_NO_CONNECTION);
            owner.lost(connection.peer);
        }
    }

    /** Closes all connections: the port has another LID, or none. */
    void forget() {
        for (Requested each : List.copyOf(requested.values())) {
            end(each, IpoibCounter.DROP_IPOIB_NO_CONNECTION);
        }
        accepted.keySet().forEach(each -> steps.add(new ConnectionStep.Close(each)));
        accepted.clear();
    }

    // ---- time and output ----

    void onTime(long nowNs) {
        for (Requested each : List.copyOf(requested.values())) {
            if (Deadline.isDue(each.dueNs, nowNs)) {
                onDue(each, nowNs);
            }
        }
        accepted.entrySet().removeIf(each -> {
            boolean idle = Deadline.isDue(each.getValue().dueNs, nowNs);
            if (idle) {
                counters.count(IpoibCounter.IPOIB_CONNECTIONS_IDLE);
                steps.add(new ConnectionStep.Close(each.getKey()));
            }
            return idle;
        });
    }

    private void onDue(Requested connection, long nowNs) {
        switch (connection.state) {
            case REQUESTED -> {
                if (connection.tries == MAX_TRIES) {
                    refuse(connection, nowNs);
                } else {
                    close(connection);
                    request(connection, nowNs);
                }
            }
            case READY -> {
                counters.count(IpoibCounter.IPOIB_CONNECTIONS_IDLE);
                end(connection, IpoibCounter.DROP_IPOIB_NO_CONNECTION);
            }
            case REFUSED -> end(connection, IpoibCounter.DROP_IPOIB_NO_CONNECTION);
        }
    }

    long deadlineNs() {
        long earliest = Deadline.NEVER;
        for (Requested each : requested.values()) {
            earliest = Deadline.earlier(earliest, each.dueNs);
        }
        for (Accepted each : accepted.values()) {
            earliest = Deadline.earlier(earliest, each.dueNs);
        }
        return earliest;
    }

    ConnectionStep pollStep() {
        return steps.poll();
    }

    ConnectedMessage pollMessage() {
        Requested connection = sendable.poll();
        if (connection == null) {
            return null;
        }
        ByteBuffer payload = take(connection);
        connection.inFlight++;
        offer(connection);
        return new ConnectedMessage(connection.number, payload);
    }
}
