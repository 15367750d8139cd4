// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Identifiers of two hosts on a transport in memory, on virtual time. What happens when is what librdmacm's manual pages say. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class ConnectionManagerTest {
    private static final int PORT = 7174;
    private static final int ALICES_QPN = 0x100;
    private static final int BOBS_QPN = 0x200;
    private static final String ALICE = "10.0.0.1";
    private static final String BOB = "10.0.0.2";
    private static final String BOBS_OTHER = "10.0.1.2";

    private final MemoryNetwork network = new MemoryNetwork();
    private final TestHost alice = new TestHost(network);
    private final TestHost bob = new TestHost(network);
    private TestHost.TestDevice alicesDevice;
    private TestHost.TestDevice bobsDevice;
    private EventChannel alices;
    private EventChannel bobs;

    @BeforeEach
    void setUp() {
        alicesDevice = alice.add("rxe0", ALICES_QPN, ALICE);
        bobsDevice = bob.add("rxe0", BOBS_QPN, BOB, BOBS_OTHER);
        alice.route(BOB, ALICE);
        alice.route(BOBS_OTHER, ALICE);
        alices = alice.manager.createEventChannel();
        bobs = bob.manager.createEventChannel();
    }

    // ---- what the tests say ----

    private static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(TestHost.ip(address), port);
    }

    private static QpInitAttributes rc() {
        return new QpInitAttributes(QpType.RC, null, null, null, new QpCapabilities(4, 4, 1, 1, 0), false);
    }

    private static QpInitAttributes ud() {
        return new QpInitAttributes(QpType.UD, null, null, null, new QpCapabilities(4, 4, 1, 1, 0), false);
    }

    private CmEvent expect(EventChannel channel, CmEventType type, int status) {
        network.run(10 * MemoryNetwork.LATENCY_NS);
        CmEvent event = channel.getEvent(0);
        assertNotNull(event, type + " is missing");
        assertEquals(type + " " + status, event.type() + " " + event.status());
        return event;
    }

    private void expectNothing(EventChannel channel) {
        network.run(10 * MemoryNetwork.LATENCY_NS);
        assertNull(channel.getEvent(0));
    }

    private static VerbsException refused(Errno errno, Runnable call) {
        VerbsException thrown = assertThrows(VerbsException.class, call::run);
        assertEquals(errno, thrown.errno(), thrown.getMessage());
        return thrown;
    }

    private SoftCmId resolved(EventChannel channel, String destination, int port, PortSpace space) {
        SoftCmId id = alice.manager.createId(channel, null, space, space.usualType());
        id.resolveAddress(null, at(destination, port), 2000);
        expect(channel, CmEventType.ADDR_RESOLVED, 0).ack();
        id.resolveRoute(2000);
        expect(channel, CmEventType.ROUTE_RESOLVED, 0).ack();
        return id;
    }

    private SoftCmId listening(String address, int port, int backlog) {
        SoftCmId id = bob.manager.createId(bobs, "listener", PortSpace.TCP, QpType.RC);
        id.bind(at(address, port));
        id.listen(backlog);
        return id;
    }

    private CmId requested() {
        CmEvent request = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        request.ack();
        return request.id();
    }

    /** Two ends with queue pairs, established. */
    private record Pair(SoftCmId active, CmId passive) {
    }

    private Pair connected() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.createQp(null, rc());
        active.connect(ConnectionParameters.DEFAULT);
        CmId passive = requested();
        passive.createQp(null, rc());
        passive.accept();
        expect(alices, CmEventType.ESTABLISHED, 0).ack();
        expect(bobs, CmEventType.ESTABLISHED, 0).ack();
        return new Pair(active, passive);
    }

    // ---- connecting ----

    @Test
    void shouldConnectAndMoveBothQueuePairs() {
        SoftCmId listener = listening(BOB, PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.createQp(null, rc());
        RecordingQueuePair alicesQp = alicesDevice.context().queuePairs.getFirst();
        assertEquals(List.of(QpState.INIT), alicesQp.states, "receives can be posted before connecting");

        active.connect(ConnectionParameters.builder().privateData(new byte[] {1, 2, 3}).responderResources(4).initiatorDepth(3)
            .flowControl(true).retryCount(5).rnrRetryCount(6).build());
        CmEvent request = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertSame(listener, request.listenId());
        assertEquals("listener", request.id().context());
        assertEquals(at(BOB, PORT), request.id().localAddress());
        assertEquals(active.localAddress(), request.id().peerAddress());
        // What is a depth there is a resource here.
        assertEquals(ConnectionParameters.builder().privateData(new byte[] {1, 2, 3}).responderResources(3).initiatorDepth(4)
            .flowControl(true).retryCount(5).rnrRetryCount(6).qpNum(ALICES_QPN).build(), request.connection());
        CmId passive = request.id();
        request.ack();
        passive.createQp(null, rc());
        passive.accept(ConnectionParameters.builder().privateData(new byte[] {9}).responderResources(2).initiatorDepth(1)
            .retryCount(7).rnrRetryCount(4).build());
        RecordingQueuePair bobsQp = bobsDevice.context().queuePairs.getFirst();
        assertEquals(List.of(QpState.INIT, QpState.INIT, QpState.RTR, QpState.RTS), bobsQp.states);
        assertEquals(ALICES_QPN, bobsQp.query().destQpn());
        assertEquals(2, bobsQp.query().maxDestRdAtomic());
        assertEquals(1, bobsQp.query().maxRdAtomic());
        assertEquals(AccessFlags.REMOTE_WRITE, bobsQp.query().accessFlags());

        CmEvent established = expect(alices, CmEventType.ESTABLISHED, 0);
        assertSame(active, established.id());
        assertNull(established.listenId());
        assertEquals(ConnectionParameters.builder().privateData(new byte[] {9}).responderResources(1).initiatorDepth(2)
            .retryCount(7).rnrRetryCount(4).qpNum(BOBS_QPN).build(), established.connection());
        established.ack();
        assertEquals(List.of(QpState.INIT, QpState.INIT, QpState.RTR, QpState.RTS), alicesQp.states);
        assertEquals(BOBS_QPN, alicesQp.query().destQpn());
        assertEquals(1, alicesQp.query().maxDestRdAtomic());
        assertEquals(2, alicesQp.query().maxRdAtomic());
        CmEvent atBob = expect(bobs, CmEventType.ESTABLISHED, 0);
        assertSame(passive, atBob.id());
        atBob.ack();
        expectNothing(alices);
    }

    @Test
    void shouldDisconnectWhenBothHaveSaidSo() {
        Pair pair = connected();
        pair.active.disconnect();
        assertEquals(QpState.ERR, pair.active.qp().state());
        expect(bobs, CmEventType.DISCONNECTED, 0).ack();
        expectNothing(alices);
        pair.passive.disconnect();
        assertEquals(QpState.ERR, pair.passive.qp().state());
        expect(alices, CmEventType.DISCONNECTED, 0).ack();
        expectNothing(bobs);
        network.run(MemoryNetwork.TIMEWAIT_NS);
        expect(alices, CmEventType.TIMEWAIT_EXIT, 0).ack();
        expect(bobs, CmEventType.TIMEWAIT_EXIT, 0).ack();
    }

    @Test
    void shouldTellThePeerWhenAnEndIsClosed() {
        Pair pair = connected();
        RecordingQueuePair qp = alicesDevice.context().queuePairs.getFirst();
        pair.active.close();
        assertTrue(qp.destroyed);
        expect(bobs, CmEventType.DISCONNECTED, 0).ack();
    }

    @Test
    void shouldLetTheProgramMoveItsOwnQueuePair() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        assertEquals(QpState.INIT, active.initQpAttributes(QpState.INIT).state());
        refused(Errno.EINVAL, () -> active.initQpAttributes(QpState.RTR));
        active.connect(ConnectionParameters.DEFAULT.withQp(0xabc, false));
        CmId passive = requested();
        assertEquals(0xabc, passive.initQpAttributes(QpState.RTR).destQpn());
        passive.accept(ConnectionParameters.DEFAULT.withQp(0xdef, false));
        CmEvent response = expect(alices, CmEventType.CONNECT_RESPONSE, 0);
        assertEquals(0xdef, response.connection().qpNum());
        response.ack();
        assertEquals(0xdef, active.initQpAttributes(QpState.RTR).destQpn());
        expectNothing(bobs);
        active.establish();
        expect(bobs, CmEventType.ESTABLISHED, 0).ack();
        expectNothing(alices);
    }

    @Test
    void shouldBeEstablishedWhenDataCameBeforeThePeersLastWord() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.connect(ConnectionParameters.DEFAULT);
        CmId passive = requested();
        passive.accept();
        passive.notify(AsyncEventType.PATH_MIG);
        expectNothing(bobs);
        passive.notify(AsyncEventType.COMM_EST);
        expect(bobs, CmEventType.ESTABLISHED, 0).ack();
    }

    @Test
    void shouldSayConnectErrorWhenTheQueuePairDoesNotFollow() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.createQp(null, rc());
        alicesDevice.context().refusedState = QpState.RTR;
        active.connect(ConnectionParameters.DEFAULT);
        CmId passive = requested();
        passive.createQp(null, rc());
        passive.accept();
        expect(alices, CmEventType.CONNECT_ERROR, -Errno.EHOSTUNREACH.value()).ack();
        assertEquals(QpState.ERR, active.qp().state());
        expect(bobs, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
        assertEquals(QpState.ERR, passive.qp().state());
        expectNothing(alices);
    }

    @Test
    void shouldThrowWhenTheAcceptingQueuePairDoesNotFollow() {
        listening("0.0.0.0", PORT, 5);
        resolved(alices, BOB, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        CmId passive = requested();
        passive.createQp(null, rc());
        bobsDevice.context().refusedState = QpState.RTS;
        refused(Errno.EHOSTUNREACH, passive::accept);
        assertEquals(QpState.ERR, passive.qp().state());
        expectNothing(alices);
        passive.reject(new byte[0]);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
    }

    @Test
    void shouldHandOverARefusalWithItsData() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.createQp(null, rc());
        active.connect(ConnectionParameters.DEFAULT);
        requested().reject(new byte[] {4, 2});
        CmEvent rejected = expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT);
        assertArrayEquals(new byte[] {4, 2}, rejected.connection().privateData());
        rejected.ack();
        assertEquals(QpState.ERR, active.qp().state());
    }

    @Test
    void shouldHearThatNobodyListens() {
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        bob.manager.createId(bobs, null, PortSpace.TCP).bind(at(BOB, PORT));
        active.connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.NO_SERVICE).ack();
    }

    @Test
    void shouldBeUnreachableWhenNobodyAnswers() {
        alice.route("10.0.0.99", ALICE);
        resolved(alices, "10.0.0.99", PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        expectNothing(alices);
        network.run((MemoryNetwork.REPEATS + 1) * MemoryNetwork.REPEAT_NS);
        expect(alices, CmEventType.UNREACHABLE, -110).ack();
    }

    @Test
    void shouldTakeNumbersOfTheRequestWhenAcceptingWithoutAny() {
        listening("0.0.0.0", PORT, 5);
        resolved(alices, BOB, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT.withReads(5, 3).withRetries(2, 1));
        CmId passive = requested();
        passive.accept();
        CmEvent response = expect(alices, CmEventType.CONNECT_RESPONSE, 0);
        assertEquals(5, response.connection().responderResources());
        assertEquals(3, response.connection().initiatorDepth());
        assertEquals(7, response.connection().rnrRetryCount());
        response.ack();
    }

    @Test
    void shouldAskForWhatTheDeviceCanAndNotForMore() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        ConnectionParameters all = ConnectionParameters.DEFAULT;
        refused(Errno.EINVAL, () -> active.connect(all.withReads(TestContext.MAX_READS + 1, 1)));
        refused(Errno.EINVAL, () -> active.connect(all.withReads(1, TestContext.MAX_READS + 1)));
        refused(Errno.EINVAL, () -> active.connect(all.withReads(-1, 1)));
        refused(Errno.EINVAL, () -> active.connect(all.withRetries(8, 0)));
        refused(Errno.EINVAL, () -> active.connect(all.withRetries(0, 8)));
        refused(Errno.EINVAL, () -> active.connect(all.withQp(1 << 24, false)));
        refused(Errno.EINVAL, () -> active.connect(all.withPrivateData(new byte[MemoryNetwork.LONGEST_REQUEST + 1])));
        active.connect(all.withPrivateData(new byte[MemoryNetwork.LONGEST_REQUEST]));
        CmEvent request = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertEquals(TestContext.MAX_READS, request.connection().responderResources());
        assertEquals(TestContext.MAX_READS, request.connection().initiatorDepth());
        request.ack();
    }

    @Test
    void shouldGiveOptionsToTheQueuePair() {
        SoftCmId listener = listening("0.0.0.0", PORT, 5);
        listener.minRnrTimer(12);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.ackTimeout(14);
        refused(Errno.EINVAL, () -> active.ackTimeout(32));
        refused(Errno.EINVAL, () -> active.typeOfService(256));
        refused(Errno.EINVAL, () -> active.minRnrTimer(32));
        active.createQp(null, rc());
        active.connect(ConnectionParameters.DEFAULT);
        CmId passive = requested();
        passive.createQp(null, rc());
        passive.accept();
        expect(alices, CmEventType.ESTABLISHED, 0).ack();
        assertEquals(14, active.qp().query().timeout());
        assertEquals(12, passive.qp().query().minRnrTimer());
    }

    // ---- listening ----

    @Test
    void shouldForgetRequestsBeyondTheBacklogUntilThereIsRoom() {
        listening("0.0.0.0", PORT, 2);
        for (int i = 0; i < 3; i++) {
            resolved(alices, BOB, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        }
        CmEvent first = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        CmEvent second = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        expectNothing(bobs);
        // The third asks again, and there is room now.
        network.run(MemoryNetwork.REPEAT_NS);
        CmEvent third = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertEquals(3, List.of(first, second, third).stream().map(event -> event.id().peerAddress().getPort()).distinct().count());
        first.ack();
        second.ack();
        third.ack();
    }

    @Test
    void shouldSortRequestsByAddress() {
        CmId everywhere = bob.manager.createId(bobs, null, PortSpace.TCP);
        everywhere.reuseAddress(true);
        everywhere.bind(at("0.0.0.0", PORT));
        SoftCmId other = listening(BOBS_OTHER, PORT + 1, 5);
        everywhere.listen(5);
        resolved(alices, BOBS_OTHER, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        CmEvent event = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertSame(everywhere, event.listenId());
        event.ack();
        resolved(alices, BOBS_OTHER, PORT + 1, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        event = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertSame(other, event.listenId());
        event.ack();
        // The port is listened for, but not at that address.
        resolved(alices, BOB, PORT + 1, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
    }

    @Test
    void shouldKeepTwoListenersOfOnePortApartByAddress() {
        SoftCmId one = listening(BOB, PORT, 5);
        SoftCmId two = listening(BOBS_OTHER, PORT, 5);
        resolved(alices, BOBS_OTHER, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        CmEvent event = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertSame(two, event.listenId());
        event.ack();
        two.close();
        resolved(alices, BOBS_OTHER, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
        one.close();
        resolved(alices, BOB, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.NO_SERVICE).ack();
    }

    /** Whoever closes has no use for the addresses of others, and cannot do anything about them. */
    @Test
    void shouldCloseThoughAnotherListenersAddressIsTaken() {
        listening(BOB, PORT, 5);
        SoftCmId two = listening(BOBS_OTHER, PORT, 5);
        network.refusesToRelisten = true;
        two.close();
        network.refusesToRelisten = false;
        resolved(alices, BOB, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        expect(bobs, CmEventType.CONNECT_REQUEST, 0).ack();
        listening(BOBS_OTHER, PORT, 5).close();
    }

    @Test
    void shouldListenOnEveryDeviceThatOpens() {
        TestHost.TestDevice broken = bob.add("rxe1", 0x300, "10.0.2.2");
        broken.refuses = new VerbsException(Errno.EADDRINUSE, "open_device", "another process has it");
        bob.add("rxe2", 0x400, "10.0.3.2");
        alice.route("10.0.3.2", ALICE);
        CmId listener = bob.manager.createId(bobs, null, PortSpace.TCP);
        listener.listen(0);
        int port = listener.localAddress().getPort();
        assertTrue(port >= PortTable.FIRST_EPHEMERAL && port <= PortTable.LAST_EPHEMERAL, "port " + port);
        resolved(alices, "10.0.3.2", port, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        CmEvent event = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertEquals(at("10.0.3.2", port), event.id().localAddress());
        assertSame(bob.devices.get(2).context(), event.id().verbs());
        event.ack();
    }

    @Test
    void shouldNotListenWithoutAnyDevice() {
        bobsDevice.refuses = new VerbsException(Errno.EADDRINUSE, "open_device", "another process has it");
        CmId listener = bob.manager.createId(bobs, null, PortSpace.TCP);
        assertTrue(refused(Errno.ENODEV, () -> listener.listen(0)).getMessage().contains("another process has it"));
    }

    @Test
    void shouldRefuseRequestsOfAnotherService() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId unreliable = alice.manager.createId(alices, null, PortSpace.IB, QpType.UC);
        unreliable.resolveAddress(null, at(BOB, PORT), 2000);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
        unreliable.resolveRoute(2000);
        expect(alices, CmEventType.ROUTE_RESOLVED, 0).ack();
        unreliable.connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.NO_SERVICE).ack();
        CmId reliable = bob.manager.createId(bobs, null, PortSpace.IB);
        reliable.bind(at(BOB, PORT));
        reliable.listen(5);
        SoftCmId again = alice.manager.createId(alices, null, PortSpace.IB, QpType.UC);
        again.resolveAddress(null, at(BOB, PORT), 2000);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
        again.resolveRoute(2000);
        expect(alices, CmEventType.ROUTE_RESOLVED, 0).ack();
        again.connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
    }

    @Test
    void shouldRefuseWhatWaitsWhenTheListenerCloses() {
        SoftCmId listener = listening("0.0.0.0", PORT, 5);
        resolved(alices, BOB, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        listener.close();
        assertNull(bobs.getEvent(0));
        expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
    }

    // ---- addresses ----

    @Test
    void shouldBindToAddressesOfDevicesOnly() {
        CmId id = bob.manager.createId(bobs, null, PortSpace.TCP);
        refused(Errno.EADDRNOTAVAIL, () -> id.bind(at(ALICE, PORT)));
        bob.otherAddresses.add(TestHost.ip("192.168.1.1"));
        refused(Errno.ENODEV, () -> id.bind(at("192.168.1.1", PORT)));
        refused(Errno.EADDRNOTAVAIL, () -> id.bind(InetSocketAddress.createUnresolved("no.such.host", PORT)));
        assertNull(id.verbs());
        assertEquals(0, id.port());
        id.bind(at(BOB, PORT));
        assertSame(bobsDevice.context(), id.verbs());
        assertEquals(1, id.port());
        assertEquals(at(BOB, PORT), id.localAddress());
        refused(Errno.EINVAL, () -> id.bind(at(BOB, PORT)));
    }

    /** Two devices on one interface, of which one has no datagrams: the list decides, not which one was opened first. */
    @Test
    void shouldTakeTheFirstDeviceThatCarriesThePortSpace() {
        TestHost.TestDevice iwarp = alice.add("siw1", 0x700, "10.0.9.1");
        iwarp.spaces = EnumSet.of(PortSpace.TCP);
        TestHost.TestDevice roce = alice.add("rxe1", 0x800, "10.0.9.1");
        CmId everywhere = alice.manager.createId(alices, null, PortSpace.UDP);
        everywhere.listen(0);
        assertEquals(0, iwarp.contexts.size());
        CmId datagrams = alice.manager.createId(alices, null, PortSpace.UDP);
        datagrams.bind(at("10.0.9.1", PORT));
        assertSame(roce.context(), datagrams.verbs());
        CmId connections = alice.manager.createId(alices, null, PortSpace.TCP);
        connections.bind(at("10.0.9.1", PORT));
        assertSame(iwarp.context(), connections.verbs());
    }

    @Test
    void shouldFindSourceAndDeviceByTheRoute() {
        alice.add("rxe1", 0x500, "10.0.9.1");
        alice.route("10.0.9.2", "10.0.9.1");
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.resolveAddress(null, at("10.0.9.2", PORT), 2000);
        CmEvent event = expect(alices, CmEventType.ADDR_RESOLVED, 0);
        assertSame(id, event.id());
        event.ack();
        assertEquals(TestHost.ip("10.0.9.1"), id.localAddress().getAddress());
        assertEquals(at("10.0.9.2", PORT), id.peerAddress());
        assertSame(alice.devices.get(1).context(), id.verbs());
        assertEquals(0, alicesDevice.contexts.size(), "the other device was not opened");
    }

    @Test
    void shouldReportAddressErrorsAsEvents() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.resolveAddress(null, at("10.9.9.9", PORT), 2000);
        expect(alices, CmEventType.ADDR_ERROR, -Errno.ENETUNREACH.value()).ack();
        alice.otherAddresses.add(TestHost.ip("192.168.1.1"));
        alice.route("192.168.1.2", "192.168.1.1");
        id.resolveAddress(null, at("192.168.1.2", PORT), 2000);
        expect(alices, CmEventType.ADDR_ERROR, -Errno.ENODEV.value()).ack();
        // It is as good as new.
        id.resolveAddress(null, at(BOB, PORT), 2000);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
    }

    @Test
    void shouldFindTheListenerBehind127001() {
        TestHost.OneProcess host = new TestHost.OneProcess();
        TestHost first = new TestHost(network, host);
        first.add("lo", 0x600, "127.0.0.1");
        TestHost server = new TestHost(network, host);
        server.add("lo", 0x700, "127.0.0.2");
        TestHost client = new TestHost(network, host);
        client.add("lo", 0x800, "127.0.0.3");
        EventChannel servers = server.manager.createEventChannel();
        CmId listener = server.manager.createId(servers, null, PortSpace.TCP);
        listener.bind(at("127.0.0.1", PORT));
        assertEquals(at("127.0.0.2", PORT), listener.localAddress(), "the address peers see");
        listener.listen(5);

        EventChannel clients = client.manager.createEventChannel();
        CmId id = client.manager.createId(clients, null, PortSpace.TCP);
        id.resolveAddress(null, at("127.0.0.1", PORT), 2000);
        expect(clients, CmEventType.ADDR_RESOLVED, 0).ack();
        assertEquals(TestHost.ip("127.0.0.3"), id.localAddress().getAddress());
        assertEquals(at("127.0.0.2", PORT), id.peerAddress());

        // One port, one listener, as it is with sockets.
        CmId rival = first.manager.createId(first.manager.createEventChannel(), null, PortSpace.TCP);
        rival.bind(at("0.0.0.0", PORT));
        refused(Errno.EADDRINUSE, () -> rival.listen(5));
        listener.close();
        rival.listen(5);
        CmId again = client.manager.createId(clients, null, PortSpace.TCP);
        again.resolveAddress(null, at("127.0.0.1", PORT), 2000);
        expect(clients, CmEventType.ADDR_RESOLVED, 0).ack();
        assertEquals(at("127.0.0.1", PORT), again.peerAddress());
    }

    @Test
    void shouldGivePortsBack() {
        SoftCmId first = listening(BOB, PORT, 5);
        CmId second = bob.manager.createId(bobs, null, PortSpace.TCP);
        refused(Errno.EADDRINUSE, () -> second.bind(at(BOB, PORT)));
        bob.manager.createId(bobs, null, PortSpace.UDP).bind(at(BOB, PORT));
        first.close();
        second.bind(at(BOB, PORT));
    }

    // ---- states ----

    @Test
    void shouldRefuseWhatDoesNotFitTheState() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        ConnectionParameters all = ConnectionParameters.DEFAULT;
        refused(Errno.EINVAL, () -> id.resolveRoute(1));
        refused(Errno.EINVAL, () -> id.connect(all));
        refused(Errno.EINVAL, id::accept);
        refused(Errno.EINVAL, () -> id.reject(new byte[0]));
        refused(Errno.EINVAL, id::disconnect);
        refused(Errno.EINVAL, id::establish);
        refused(Errno.EINVAL, () -> id.createQp(null, rc()));
        refused(Errno.EINVAL, () -> id.initQpAttributes(QpState.INIT));
        refused(Errno.EINVAL, id::getRequest);
        id.resolveAddress(null, at(BOB, PORT), 1);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
        refused(Errno.EINVAL, () -> id.connect(all));
        refused(Errno.EINVAL, () -> id.listen(1));
        refused(Errno.EINVAL, () -> id.resolveAddress(null, at(BOB, PORT), 1));
        refused(Errno.EINVAL, () -> id.reuseAddress(true));
        refused(Errno.EINVAL, () -> id.familyOnly(true));
        refused(Errno.EINVAL, () -> id.createQp(null, ud()));
        id.createQp(null, rc());
        refused(Errno.EINVAL, () -> id.createQp(null, rc()));
        id.resolveRoute(1);
        expect(alices, CmEventType.ROUTE_RESOLVED, 0).ack();
        refused(Errno.EINVAL, () -> alice.manager.createId(alices, null, PortSpace.TCP, QpType.UD));
        id.connect(all);
        refused(Errno.EINVAL, () -> id.connect(all));
        refused(Errno.EINVAL, id::accept);
    }

    @Test
    void shouldForbidPort0AsDestination() {
        refused(Errno.EINVAL, () -> resolved(alices, BOB, 0, PortSpace.TCP).connect(ConnectionParameters.DEFAULT));
    }

    // ---- events, closing, devices ----

    @Test
    void shouldWaitForAcknowledgementBeforeClosing() throws Exception {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.resolveAddress(null, at(BOB, PORT), 1);
        CmEvent event = expect(alices, CmEventType.ADDR_RESOLVED, 0);
        Thread closing = Thread.ofPlatform().daemon().start(id::close);
        awaitWaiting(closing);
        event.ack();
        closing.join();
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            assertTrue(thread.isAlive(), "it should wait");
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldDropEventsOfAClosedIdentifier() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.resolveAddress(null, at(BOB, PORT), 1);
        id.close();
        expectNothing(alices);
        id.close();
    }

    @Test
    void shouldCountAnAcknowledgementOnce() throws Exception {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.resolveAddress(null, at(BOB, PORT), 1);
        CmEvent first = expect(alices, CmEventType.ADDR_RESOLVED, 0);
        id.resolveRoute(1);
        CmEvent second = expect(alices, CmEventType.ROUTE_RESOLVED, 0);
        first.ack();
        first.ack();
        Thread closing = Thread.ofPlatform().daemon().start(id::close);
        awaitWaiting(closing);
        second.ack();
        closing.join();
    }

    @Test
    void shouldKeepAChannelInUse() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        refused(Errno.EBUSY, alices::close);
        id.close();
        alices.close();
        refused(Errno.EINVAL, () -> alice.manager.createId(alices, null, PortSpace.TCP));
    }

    @Test
    void shouldTakeWaitingEventsAlongWhenMigrating() {
        EventChannel others = bob.manager.createEventChannel();
        SoftCmId listener = listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.connect(ConnectionParameters.DEFAULT);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        listener.migrate(others);
        assertNull(bobs.getEvent(0));
        CmEvent request = expect(others, CmEventType.CONNECT_REQUEST, 0);
        assertSame(others, request.id().channel());
        request.ack();
        request.id().migrate(bobs);
        request.id().accept();
        expect(alices, CmEventType.CONNECT_RESPONSE, 0).ack();
        active.establish();
        expect(bobs, CmEventType.ESTABLISHED, 0).ack();
        assertNull(others.getEvent(0));
    }

    @Test
    void shouldShareADeviceAndCloseItWithTheLastUser() {
        SoftCmId one = resolved(alices, BOB, PORT, PortSpace.TCP);
        SoftCmId two = resolved(alices, BOB, PORT, PortSpace.TCP);
        assertSame(one.verbs(), two.verbs());
        assertSame(one.pd(), two.pd());
        assertNotEquals(one.localAddress(), two.localAddress());
        assertEquals(1, alicesDevice.contexts.size());
        one.close();
        two.close();
        assertEquals(0, alicesDevice.context().released, "the channel is still there");
        alices.close();
        assertEquals(1, alicesDevice.context().released);
    }

    @Test
    void shouldLeaveADeviceOpenThatTheProgramUses() {
        SoftCmId id = resolved(alices, BOB, PORT, PortSpace.TCP);
        var pd = id.verbs().allocatePd();
        TestContext context = alicesDevice.context();
        id.close();
        alices.close();
        assertEquals(0, context.released);
        pd.close();
        EventChannel again = alice.manager.createEventChannel();
        SoftCmId second = resolved(again, BOB, PORT, PortSpace.TCP);
        assertSame(context, second.verbs());
        second.close();
        again.close();
        assertEquals(1, context.released);
    }

    @Test
    void shouldTellPeersWhenTheProcessEnds() {
        Pair pair = connected();
        alice.manager.abandon();
        CmEvent event = expect(bobs, CmEventType.DISCONNECTED, 0);
        assertSame(pair.passive, event.id());
        event.ack();
    }

    // ---- devices that are removed ----

    @Test
    void shouldTellIdentifiersThatTheirDeviceIsRemoved() {
        Pair pair = connected();
        SoftCmId elsewhere = alice.manager.createId(alices, null, PortSpace.TCP, QpType.RC);
        TestContext context = alicesDevice.context();
        alice.devices.remove(alicesDevice);
        context.removed();
        assertEquals(AsyncEventType.DEVICE_FATAL, context.getAsyncEvent(0).type());
        CmEvent removal = expect(alices, CmEventType.DEVICE_REMOVAL, 0);
        assertSame(pair.active, removal.id());
        removal.ack();
        assertEquals(QpState.ERR, pair.active.qp().state());
        expectNothing(alices);
        expect(bobs, CmEventType.DISCONNECTED, 0).ack();
        refused(Errno.ENODEV, pair.active::disconnect);
        elsewhere.resolveAddress(null, at(BOB, PORT), 2000);
        expect(alices, CmEventType.ADDR_ERROR, -Errno.EADDRNOTAVAIL.value()).ack();
        context.removed();
        expectNothing(alices);
        pair.active.close();
        elsewhere.close();
        alices.close();
        assertEquals(1, context.released, "it is closed with its last user, as all are");
    }

    /** Nobody is told of it later. */
    @Test
    void shouldNotBindToADeviceThatIsRemovedWhileItOpens() {
        alicesDevice.whenOpened = TestContext::removed;
        SoftCmId id = alice.manager.createId(alices, null, PortSpace.TCP, QpType.RC);
        refused(Errno.ENODEV, () -> id.bind(at(ALICE, PORT)));
        assertEquals(1, alicesDevice.context().released);
        alicesDevice.whenOpened = context -> { };
        id.bind(at(ALICE, PORT));
        id.close();
    }

    @Test
    void shouldGoOnListeningOnTheOtherDevices() {
        bob.add("rxe1", 0x300, "10.0.2.2");
        alice.route("10.0.2.2", ALICE);
        listening("0.0.0.0", PORT, 5);
        SoftCmId early = resolved(alices, BOB, PORT, PortSpace.TCP);
        early.connect(ConnectionParameters.DEFAULT);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        bobsDevice.context().removed();
        SoftCmId late = resolved(alices, BOB, PORT, PortSpace.TCP);
        late.connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.NO_SERVICE).ack();
        SoftCmId other = resolved(alices, "10.0.2.2", PORT, PortSpace.TCP);
        other.connect(ConnectionParameters.DEFAULT);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        // Whoever asked before it was removed is told of when it is handed out.
        CmEvent first = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        first.ack();
        CmEvent second = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        second.ack();
        CmEvent removal = expect(bobs, CmEventType.DEVICE_REMOVAL, 0);
        assertSame(first.id(), removal.id());
        removal.ack();
        second.id().accept();
        expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
        expect(alices, CmEventType.CONNECT_RESPONSE, 0).ack();
    }

    @Test
    void shouldRefuseThoseThatWaitForADeviceThatIsRemoved() {
        AddressInfo here = new AddressInfo(true, QpType.RC, PortSpace.TCP, at(BOB, PORT), null);
        SoftCmId listener = bob.manager.createEndpoint(here, null, null);
        listener.listen(1);
        bobsDevice.context().removed();
        refused(Errno.ENODEV, listener::getRequest);
        listener.close();
    }

    /** A device that stops waits for the thread that watches it, which may just have found that it was removed. */
    @Test
    void shouldHearOfARemovalWhileItClosesTheDevice() {
        resolved(alices, BOB, PORT, PortSpace.TCP).close();
        TestContext context = alicesDevice.context();
        context.whenReleased = () -> {
            Thread watch = Thread.ofPlatform().daemon().start(context::removed);
            try {
                watch.join();
            } catch (InterruptedException e) {
                throw new AssertionError("each waits for the other", e);
            }
        };
        alices.close();
        assertEquals(1, context.released);
        alices = alice.manager.createEventChannel();
        resolved(alices, BOB, PORT, PortSpace.TCP).close();
        assertEquals(2, alicesDevice.contexts.size(), "opened anew");
        alices.close();
        assertEquals(List.of(1, 1), alicesDevice.contexts.stream().map(each -> each.released).toList());
    }

    @Test
    void shouldSayThatAClosedIdentifierDoesNotMigrate() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.close();
        assertTrue(refused(Errno.EINVAL, () -> id.migrate(alices)).getMessage().contains("closed"));
    }

    // ---- synchronous identifiers ----

    /** The network goes on while the call waits. */
    private <T> T during(Supplier<T> call) throws InterruptedException {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                done.complete(call.get());
            } catch (RuntimeException | Error thrown) {
                done.completeExceptionally(thrown);
            }
        });
        while (!done.isDone()) {
            network.run(MemoryNetwork.LATENCY_NS);
            Thread.onSpinWait();
        }
        try {
            return done.get();
        } catch (ExecutionException thrown) {
            if (thrown.getCause() instanceof VerbsException refused) {
                throw refused;
            }
            throw new AssertionError(thrown.getCause());
        }
    }

    @Test
    void shouldConnectEndpointsSynchronously() throws Exception {
        AddressInfo here = new AddressInfo(true, QpType.RC, PortSpace.TCP, at(BOB, PORT), null);
        SoftCmId listener = bob.manager.createEndpoint(here, null, rc());
        listener.listen(1);
        assertTrue(listener.isSynchronous());
        SoftCmId active = alice.manager.createEndpoint(ConnectionManager.addressInfo(BOB, PORT, PortSpace.TCP, false), null, rc());
        assertEquals(CmEventType.ROUTE_RESOLVED, active.event().type());
        CompletableFuture<CmId> server = CompletableFuture.supplyAsync(() -> {
            CmId passive = listener.getRequest();
            passive.accept(ConnectionParameters.DEFAULT.withPrivateData(new byte[] {5}));
            return passive;
        });
        during(() -> {
            active.connect(ConnectionParameters.DEFAULT);
            return 0;
        });
        assertEquals(CmEventType.ESTABLISHED, active.event().type());
        assertArrayEquals(new byte[] {5}, active.event().connection().privateData());
        CmId passive = during(server::join);
        assertTrue(passive.isSynchronous());
        assertEquals(QpState.RTS, passive.qp().state());
        assertEquals(QpState.RTS, active.qp().state());

        CompletableFuture<Void> gone = CompletableFuture.runAsync(active::disconnect);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        during(() -> {
            passive.disconnect();
            return gone.join();
        });
        assertEquals(CmEventType.DISCONNECTED, active.event().type());
        // There is no second event to wait for.
        passive.close();
        active.close();
        listener.close();
        assertEquals(1, alicesDevice.contexts.size());
        alices.close();
        assertEquals(1, alicesDevice.context().released);
    }

    @Test
    void shouldThrowWhatTheEventSays() throws Exception {
        refused(Errno.ENETUNREACH, () -> alice.manager.createEndpoint(
            ConnectionManager.addressInfo("10.9.9.9", PORT, PortSpace.TCP, false), null, null));
        SoftCmId active = alice.manager.createEndpoint(ConnectionManager.addressInfo(BOB, PORT, PortSpace.TCP, false), null, null);
        VerbsException nobody = assertThrows(VerbsException.class, () -> during(() -> {
            active.connect(ConnectionParameters.DEFAULT);
            return 0;
        }));
        assertEquals(Errno.ECONNREFUSED, nobody.errno());
        assertEquals(MemoryNetwork.NO_SERVICE, active.event().status());
        // Nothing to wait for: the end is known.
        refused(Errno.EINVAL, active::disconnect);
        alice.route("10.0.0.99", ALICE);
        SoftCmId lost = alice.manager.createEndpoint(ConnectionManager.addressInfo("10.0.0.99", PORT, PortSpace.TCP, false), null, null);
        VerbsException silence = assertThrows(VerbsException.class, () -> during(() -> {
            lost.connect(ConnectionParameters.DEFAULT);
            return 0;
        }));
        assertEquals(Errno.ETIMEDOUT, silence.errno());
    }

    // ---- datagrams ----

    @Test
    void shouldLookUpWhereDatagramsGo() {
        CmId listener = bob.manager.createId(bobs, null, PortSpace.UDP);
        listener.bind(at(BOB, PORT));
        listener.listen(5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.UDP);
        active.createQp(null, ud());
        RecordingQueuePair qp = alicesDevice.context().queuePairs.getFirst();
        assertEquals(List.of(QpState.INIT, QpState.RTR, QpState.RTS), qp.states, "it can send before it is connected");
        assertEquals(DatagramParameters.UDP_QKEY, qp.query().qkey());
        active.connect(ConnectionParameters.DEFAULT.withPrivateData(new byte[] {1}));
        CmEvent request = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertArrayEquals(new byte[] {1}, request.datagram().privateData());
        assertNull(request.connection());
        request.ack();
        request.id().createQp(null, ud());
        request.id().accept();
        CmEvent established = expect(alices, CmEventType.ESTABLISHED, 0);
        assertEquals(BOBS_QPN, established.datagram().qpNum());
        assertEquals(0x01234567, established.datagram().qkey());
        assertEquals(Gid.of(TestHost.ip(BOB)), established.datagram().addressVector().dgid());
        established.ack();
        expectNothing(bobs);
        active.disconnect();
        assertEquals(QpState.ERR, active.qp().state());
        expectNothing(bobs);
    }

    @Test
    void shouldNotUnderstandPeersWithAnotherKey() {
        // Its answers are the test's.
        alice.route("10.0.0.99", ALICE);
        SoftCmId active = resolved(alices, "10.0.0.99", PORT, PortSpace.UDP);
        active.createQp(null, ud());
        active.connect(ConnectionParameters.DEFAULT);
        active.handler().onDatagramTarget(new DatagramParameters(new byte[0], null, 5, 0x11111111));
        expect(alices, CmEventType.ADDR_ERROR, -22).ack();
        SoftCmId without = resolved(alices, "10.0.0.99", PORT, PortSpace.UDP);
        without.connect(ConnectionParameters.DEFAULT);
        without.handler().onDatagramTarget(new DatagramParameters(new byte[0], null, 5, 0x11111111));
        expect(alices, CmEventType.ESTABLISHED, 0).ack();
    }

    @Test
    void shouldHearThatNobodyTakesDatagrams() {
        resolved(alices, BOB, PORT, PortSpace.UDP).connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.UNREACHABLE, 1).ack();
    }

    @Test
    void shouldJoinAndLeaveGroups() {
        CmId id = alice.manager.createId(alices, null, PortSpace.UDP);
        refused(Errno.EINVAL, () -> id.joinMulticast(TestHost.ip("239.1.1.1"), false, null));
        id.bind(at(ALICE, 0));
        id.createQp(null, ud());
        RecordingQueuePair qp = alicesDevice.context().queuePairs.getFirst();
        refused(Errno.EINVAL, () -> id.joinMulticast(TestHost.ip(BOB), false, null));
        id.joinMulticast(TestHost.ip("239.1.1.1"), false, "mine");
        CmEvent joined = expect(alices, CmEventType.MULTICAST_JOIN, 0);
        assertEquals("mine", joined.joinContext());
        assertEquals(0xffffff, joined.datagram().qpNum());
        assertEquals(0x01234567, joined.datagram().qkey());
        assertEquals(Gid.ofIpv4(0xef010101), joined.datagram().addressVector().dgid());
        assertEquals(1, joined.datagram().addressVector().sgidIndex());
        assertEquals(64, joined.datagram().addressVector().hopLimit());
        joined.ack();
        assertEquals(List.of(Gid.ofIpv4(0xef010101)), qp.groups);
        refused(Errno.EINVAL, () -> id.joinMulticast(TestHost.ip("239.1.1.1"), false, null));

        id.joinMulticast(TestHost.ip("239.1.1.2"), true, null);
        expect(alices, CmEventType.MULTICAST_JOIN, 0).ack();
        assertEquals(1, qp.groups.size(), "who only sends is not attached");
        alicesDevice.context().refusesGroups = true;
        id.joinMulticast(TestHost.ip("239.1.1.3"), false, "third");
        CmEvent failed = expect(alices, CmEventType.MULTICAST_ERROR, -Errno.ENOMEM.value());
        assertEquals("third", failed.joinContext());
        failed.ack();
        refused(Errno.EINVAL, () -> id.leaveMulticast(TestHost.ip("239.1.1.3")));

        id.leaveMulticast(TestHost.ip("239.1.1.1"));
        assertTrue(qp.groups.isEmpty());
        refused(Errno.EINVAL, () -> id.leaveMulticast(TestHost.ip("239.1.1.1")));
        alicesDevice.context().refusesGroups = false;
        id.joinMulticast(TestHost.ip("239.1.1.1"), false, null);
        expect(alices, CmEventType.MULTICAST_JOIN, 0).ack();
        id.close();
        assertTrue(qp.groups.isEmpty() && qp.destroyed);
    }

    @Test
    void shouldHaveGroupsForDatagramsOnly() {
        SoftCmId id = resolved(alices, BOB, PORT, PortSpace.TCP);
        refused(Errno.EINVAL, () -> id.joinMulticast(TestHost.ip("239.1.1.1"), false, null));
        assertFalse(id.isSynchronous());
    }

    @Test
    void shouldKeepCompletionQueuesOfTheProgram() {
        SoftCmId id = resolved(alices, BOB, PORT, PortSpace.TCP);
        var pd = id.verbs().allocatePd();
        var cq = id.verbs().createCq(4);
        id.createQp(pd, QpInitAttributes.rc(cq, new QpCapabilities(1, 1, 1, 1, 0)));
        assertSame(pd, id.pd());
        assertSame(cq, id.sendCq());
        assertSame(cq, id.receiveCq());
        refused(Errno.EINVAL, () -> id.awaitSend(null));
        id.destroyQp();
        assertNull(id.qp());
        cq.close();
        pd.close();
        CmId other = bob.manager.createId(bobs, null, PortSpace.TCP);
        other.bind(at(BOB, 0));
        refused(Errno.EINVAL, () -> id.createQp(other.pd(), rc()));
    }

    @Test
    void shouldGiveTheInitialAttributesOfDatagrams() {
        SoftCmId id = resolved(alices, BOB, PORT, PortSpace.UDP);
        QpAttributes init = id.initQpAttributes(QpState.INIT);
        assertEquals(0x01234567, init.qkey());
        assertEquals(0, id.initQpAttributes(QpState.RTS).sqPsn());
        refused(Errno.EINVAL, () -> id.initQpAttributes(QpState.SQD));
    }
}
