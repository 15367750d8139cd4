// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Connections by address between two programs of one daemon, which share its address and its ports. */
@Timeout(60)
class DaemonConnectionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final QpCapabilities SMALL = new QpCapabilities(4, 4, 1, 1, 0);
    private static final int GRH_BYTES = 40;
    private static RunningDaemon daemon;
    private static int lastPort = 7000;

    private final DaemonSession theirs = daemon.another();
    private final JoinedConnections manager = new JoinedConnections(daemon.session());
    private final JoinedConnections peer = new JoinedConnections(theirs);
    private final EventChannel events = manager.createEventChannel();
    private final EventChannel peerEvents = peer.createEventChannel();
    private final InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), ++lastPort);
    private final Arena arena = Arena.ofShared();

    @BeforeAll
    static void startDaemon() {
        daemon = new RunningDaemon(1);
    }

    @AfterAll
    static void stopDaemon() {
        daemon.close();
    }

    @AfterEach
    void leave() {
        theirs.close();
        arena.close();
    }

    private static QpInitAttributes rc() {
        return new QpInitAttributes(QpType.RC, null, null, null, SMALL, false);
    }

    private static QpInitAttributes ud() {
        return new QpInitAttributes(QpType.UD, null, null, null, SMALL, false);
    }

    private static CmEvent next(EventChannel channel, CmEventType expected) {
        CmEvent event = channel.getEvent(PATIENCE.toNanos());
        assertNotNull(event, "no " + expected);
        assertEquals(expected, event.type(), event.toString());
        return event;
    }

    private static void take(EventChannel channel, CmEventType expected) {
        next(channel, expected).ack();
    }

    private CmId listener(PortSpace space) {
        CmId listener = peer.createId(peerEvents, "listener", space);
        listener.bind(address);
        listener.listen(4);
        return listener;
    }

    private CmId resolved(PortSpace space) {
        CmId id = manager.createId(events, "client", space);
        assertNull(id.verbs());
        id.resolveAddress(null, address, 2000);
        take(events, CmEventType.ADDR_RESOLVED);
        id.resolveRoute(2000);
        take(events, CmEventType.ROUTE_RESOLVED);
        assertEquals("rxe0", id.verbs().device().name());
        assertEquals(address, id.peerAddress());
        assertEquals(address.getAddress(), id.localAddress().getAddress());
        return id;
    }

    private static ConnectionParameters with(String privateData) {
        return ConnectionParameters.DEFAULT.withPrivateData(privateData.getBytes(US_ASCII));
    }

    private static String text(byte[] privateData) {
        return new String(privateData, US_ASCII).replace("\0", "");
    }

    @Test
    void shouldConnectAndExchangeDataAndDisconnect() {
        CmId listener = listener(PortSpace.TCP);
        CmId client = resolved(PortSpace.TCP);
        client.createQp(null, rc());
        client.connect(with("from the client").withReads(2, 3));
        CmEvent request = next(peerEvents, CmEventType.CONNECT_REQUEST);
        assertSame(listener, request.listenId());
        assertEquals("from the client", text(request.connection().privateData()));
        assertEquals(3, request.connection().responderResources(), "seen from this end");
        CmId server = request.id();
        assertEquals("listener", server.context());
        server.createQp(null, rc());
        MemoryRegion target = server.pd().register(arena.allocate(64), AccessFlags.LOCAL_WRITE);
        server.qp().postReceive(new ReceiveRequest().begin(7).element(target, 0, 64));
        server.accept(with("from the server"));
        request.ack();
        CmEvent established = next(events, CmEventType.ESTABLISHED);
        assertEquals("from the server", text(established.connection().privateData()));
        established.ack();
        take(peerEvents, CmEventType.ESTABLISHED);
        assertEquals(QpState.RTS, client.qp().state());

        MemorySegment message = arena.allocateFrom("a message");
        MemoryRegion source = client.pd().register(message, 0);
        client.qp().postSend(new SendRequest().send().element(source, 0, (int) message.byteSize()).signaled());
        WorkCompletion received = new WorkCompletion();
        server.awaitReceive(received);
        assertEquals(7, received.requireSuccess().wrId());
        assertEquals("a message", target.memory().getString(0));

        client.disconnect();
        take(peerEvents, CmEventType.DISCONNECTED);
        server.disconnect();
        take(events, CmEventType.DISCONNECTED);
        assertEquals(QpState.ERR, client.qp().state());
        target.close();
        source.close();
        server.close();
        client.close();
        listener.close();
        events.close();
        peerEvents.close();
    }

    @Test
    void shouldHandOverARefusalWithItsData() {
        listener(PortSpace.TCP);
        CmId client = resolved(PortSpace.TCP);
        client.createQp(null, rc());
        client.connect(ConnectionParameters.DEFAULT);
        CmEvent request = next(peerEvents, CmEventType.CONNECT_REQUEST);
        request.id().reject("not today".getBytes(US_ASCII));
        request.id().close();
        request.ack();
        CmEvent rejected = next(events, CmEventType.REJECTED);
        assertEquals(28, rejected.status(), "by the consumer: IBA vol 1 §12.6.7.2");
        assertEquals("not today", text(rejected.connection().privateData()));
        rejected.ack();
        assertEquals(QpState.ERR, client.qp().state());
        client.close();
    }

    @Test
    void shouldBeRejectedWhereNobodyListens() {
        CmId client = resolved(PortSpace.TCP);
        client.createQp(null, rc());
        client.connect(ConnectionParameters.DEFAULT);
        CmEvent rejected = next(events, CmEventType.REJECTED);
        assertEquals(8, rejected.status(), "invalid service ID: IBA vol 1 §12.6.7.2");
        rejected.ack();
        client.close();
    }

    /** One table of ports for all programs of the daemon, and a port that is free again when its program has left. */
    @Test
    void shouldFindAPortTakenUntilItsProgramLeaves() {
        listener(PortSpace.TCP);
        CmId late = manager.createId(events, null, PortSpace.TCP);
        VerbsException taken = assertThrows(VerbsException.class, () -> late.bind(address));
        assertEquals(Errno.EADDRINUSE, taken.errno());
        theirs.close();
        long untilNs = System.nanoTime() + PATIENCE.toNanos();
        while (!isBound(late)) {
            assertTrue(System.nanoTime() - untilNs < 0, "the port is still taken");
            Thread.onSpinWait();
        }
        late.close();
    }

    private boolean isBound(CmId id) {
        try {
            id.bind(address);
            return true;
        } catch (VerbsException refused) {
            assertEquals(Errno.EADDRINUSE, refused.errno());
            return false;
        }
    }

    @Test
    void shouldNotifyThePeerOfAProgramThatLeaves() {
        listener(PortSpace.TCP);
        CmId client = resolved(PortSpace.TCP);
        client.createQp(null, rc());
        client.connect(ConnectionParameters.DEFAULT);
        CmEvent request = next(peerEvents, CmEventType.CONNECT_REQUEST);
        request.id().createQp(null, rc());
        request.id().accept();
        take(events, CmEventType.ESTABLISHED);
        // Before the RTU has arrived, the end of the program would refuse the connection instead.
        take(peerEvents, CmEventType.ESTABLISHED);
        theirs.close();
        take(events, CmEventType.DISCONNECTED);
        client.close();
    }

    @Test
    void shouldConnectEndpointsSynchronously() throws Exception {
        AddressInfo passive = ConnectionManager.addressInfo("127.0.0.1", address.getPort(), PortSpace.TCP, true);
        AddressInfo active = ConnectionManager.addressInfo("127.0.0.1", address.getPort(), PortSpace.TCP, false);
        CmId listener = peer.createEndpoint(passive, null, rc());
        listener.listen(1);
        CompletableFuture<CmId> accepted = CompletableFuture.supplyAsync(() -> {
            CmId server = listener.getRequest();
            server.accept();
            return server;
        });
        CmId client = manager.createEndpoint(active, null, rc());
        assertTrue(client.isSynchronous());
        client.connect(ConnectionParameters.DEFAULT);
        assertEquals(CmEventType.ESTABLISHED, client.event().type());
        CmId server = accepted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        MemoryRegion target = server.pd().register(arena.allocate(16), AccessFlags.LOCAL_WRITE);
        for (int i = 1; i <= 2; i++) {
            server.qp().postReceive(new ReceiveRequest().begin(i).element(target, 0, 16));
        }
        client.qp().postSend(new SendRequest().send().signaled());
        WorkCompletion done = new WorkCompletion();
        client.awaitSend(done);
        assertEquals(WcStatus.SUCCESS, done.status());
        server.awaitReceive(done);
        assertEquals(1, done.requireSuccess().wrId());
        CompletableFuture<Void> ending = CompletableFuture.runAsync(client::disconnect);
        server.awaitReceive(done);
        assertEquals(WcStatus.WR_FLUSH_ERR, done.status(), "the connection has ended");
        server.disconnect();
        ending.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        target.close();
        listener.close();
        server.close();
        client.close();

        CmId refused = manager.createEndpoint(active, null, rc());
        assertEquals(Errno.ECONNREFUSED,
            assertThrows(VerbsException.class, () -> refused.connect(ConnectionParameters.DEFAULT)).errno());
        refused.close();
    }

    @Test
    void shouldResolveAPeerOfDatagrams() {
        listener(PortSpace.UDP);
        CmId client = resolved(PortSpace.UDP);
        client.createQp(null, ud());
        client.connect(with("who is there"));
        CmEvent request = next(peerEvents, CmEventType.CONNECT_REQUEST);
        assertEquals("who is there", text(request.datagram().privateData()));
        CmId server = request.id();
        server.createQp(null, ud());
        MemoryRegion target = server.pd().register(arena.allocate(GRH_BYTES + 16), AccessFlags.LOCAL_WRITE);
        server.qp().postReceive(new ReceiveRequest().begin(3).element(target, 0, GRH_BYTES + 16));
        server.accept(with("a program"));
        request.ack();
        CmEvent found = next(events, CmEventType.ESTABLISHED);
        assertEquals(server.qp().qpNum(), found.datagram().qpNum());
        assertEquals("a program", text(found.datagram().privateData()));
        send(client, found.datagram(), server, target);
        found.ack();
    }

    private void send(CmId from, DatagramParameters to, CmId receiver, MemoryRegion target) {
        MemorySegment message = arena.allocateFrom("datagram");
        try (AddressHandle handle = from.pd().createAh(to.addressVector()); MemoryRegion source = from.pd().register(message, 0)) {
            from.qp().postSend(new SendRequest().send().to(handle, to.qpNum(), to.qkey())
                .element(source, 0, (int) message.byteSize()).signaled());
            WorkCompletion done = new WorkCompletion();
            from.awaitSend(done);
            done.requireSuccess();
            receiver.awaitReceive(done);
            assertEquals("datagram", target.memory().asSlice(GRH_BYTES).getString(0));
        }
    }

    @Test
    void shouldReachAGroupThatAnotherProgramHasJoined() {
        InetAddress group = InetAddress.ofLiteral("239.1.2." + lastPort % 200);
        CmId member = peer.createId(peerEvents, null, PortSpace.UDP);
        member.bind(new InetSocketAddress(address.getAddress(), 0));
        member.createQp(null, ud());
        MemoryRegion target = member.pd().register(arena.allocate(GRH_BYTES + 16), AccessFlags.LOCAL_WRITE);
        member.qp().postReceive(new ReceiveRequest().begin(1).element(target, 0, GRH_BYTES + 16));
        member.joinMulticast(group, false, "the group");
        CmEvent joined = next(peerEvents, CmEventType.MULTICAST_JOIN);
        assertEquals("the group", joined.joinContext());
        joined.ack();
        CmId sender = manager.createId(events, null, PortSpace.UDP);
        sender.bind(new InetSocketAddress(address.getAddress(), 0));
        sender.createQp(null, ud());
        sender.joinMulticast(group, true, null);
        CmEvent reachable = next(events, CmEventType.MULTICAST_JOIN);
        send(sender, reachable.datagram(), member, target);
        reachable.ack();
        member.leaveMulticast(group);
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> member.leaveMulticast(group)).errno());
        target.close();
        member.close();
        sender.close();
    }

    /** Pending events move with the identifier. */
    @Test
    void shouldMigrateToAnotherChannelWithItsEvents() {
        CmId id = manager.createId(events, null, PortSpace.TCP);
        id.resolveAddress(null, address, 2000);
        EventChannel other = manager.createEventChannel();
        id.migrate(other);
        CmEvent resolved = next(other, CmEventType.ADDR_RESOLVED);
        assertSame(id, resolved.id());
        resolved.ack();
        assertNull(events.getEvent(0));
        events.close();
        assertEquals(Errno.EBUSY, assertThrows(VerbsException.class, other::close).errno());
        id.close();
        other.close();
    }
}
