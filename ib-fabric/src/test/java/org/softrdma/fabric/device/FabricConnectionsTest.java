// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Connections by address between devices on a fabric in real time, both of this process, with IP addresses of their links. */
@Timeout(120)
class FabricConnectionsTest {
    private static final int PORT = 7471;
    private static final long PATIENCE_NS = 30_000_000_000L;
    private static final byte[] HELLO = {1, 2, 3};

    private final RunningFabric fabric = new RunningFabric();
    private final ConnectionManager manager = ConnectionManager.get();
    private final LinkStore store = LinkStore.at(StateDirectory.ofUser());
    private EventChannel events;

    @BeforeEach
    void begin() {
        add("ib0", "h1", "10.9.0.1/24,fd09::1/64");
        add("ib1", "h2", "10.9.0.2/24,fd09::2/64");
        events = fabric.keep(manager.createEventChannel());
    }

    private void add(String name, String node, String addresses) {
        store.add(new ConfiguredLink(name, "ib", "", new LinkedHashMap<>(Map.of("fabric", fabric.name(), "node", node, "addr",
            addresses))));
    }

    @AfterEach
    void end() {
        fabric.close();
        store.remove("ib0");
        store.remove("ib1");
    }

    private CmEvent next() {
        CmEvent event = events.getEvent(PATIENCE_NS);
        assertNotNull(event, "no event");
        event.ack();
        return event;
    }

    private CmEvent expect(CmEventType type, int status) {
        CmEvent event = next();
        assertEquals(type + " " + status, event.type() + " " + event.status() + (event.type() == type ? "" : " " + event.detail()));
        return event;
    }

    private CmId client(PortSpace space, String to, int timeoutMs) {
        CmId id = fabric.keep(manager.createId(events, null, space));
        id.resolveAddress(null, new InetSocketAddress(to, PORT), timeoutMs);
        return id;
    }

    private CmId resolved(PortSpace space, String to) {
        CmId id = client(space, to, 30_000);
        expect(CmEventType.ADDR_RESOLVED, 0);
        id.resolveRoute(30_000);
        expect(CmEventType.ROUTE_RESOLVED, 0);
        return id;
    }

    private void listen(PortSpace space, String at) {
        CmId listener = fabric.keep(manager.createId(events, null, space));
        listener.bind(new InetSocketAddress(at, PORT));
        listener.listen(5);
    }

    private static QpInitAttributes qp(QpType type) {
        return new QpInitAttributes(type, null, null, null, new QpCapabilities(4, 4, 1, 1, 0), false);
    }

    private void connect(String server, String client) {
        listen(PortSpace.TCP, server);
        CmId active = resolved(PortSpace.TCP, server);
        assertEquals(client, active.localAddress().getAddress().getHostAddress());
        active.createQp(null, qp(QpType.RC));
        active.connect(ConnectionParameters.builder().privateData(HELLO).build());
        CmEvent request = next();
        assertEquals(CmEventType.CONNECT_REQUEST, request.type());
        assertArrayEquals(HELLO, Arrays.copyOf(request.connection().privateData(), HELLO.length));
        CmId passive = fabric.keep(request.id());
        assertEquals(client, passive.peerAddress().getAddress().getHostAddress());
        passive.createQp(null, qp(QpType.RC));
        passive.accept();
        expect(CmEventType.ESTABLISHED, 0);
        expect(CmEventType.ESTABLISHED, 0);
        int lid = active.verbs().queryPort(1).lid();
        AddressVector back = passive.qp().query().addressVector();
        assertEquals(lid, back.dlid());
        assertEquals(passive.verbs().queryPort(1).lid(), active.qp().query().addressVector().dlid());
        assertEquals(5, active.qp().query().pathMtu().value(), "4096 bytes, as both ports and the switches have");
        active.disconnect();
        expect(CmEventType.DISCONNECTED, 0);
        passive.disconnect();
        expect(CmEventType.DISCONNECTED, 0);
    }

    @Test
    void shouldConnectByAddress() {
        fabric.startManager();
        connect("10.9.0.1", "10.9.0.2");
    }

    @Test
    void shouldConnectByIpv6() {
        fabric.startManager();
        connect("fd09:0:0:0:0:0:0:2", "fd09:0:0:0:0:0:0:1");
    }

    @Test
    void shouldLookUpADatagramService() {
        fabric.startManager();
        listen(PortSpace.UDP, "10.9.0.1");
        CmId id = resolved(PortSpace.UDP, "10.9.0.1");
        id.createQp(null, qp(QpType.UD));
        id.connect(ConnectionParameters.DEFAULT);
        CmEvent request = next();
        assertEquals(CmEventType.CONNECT_REQUEST, request.type());
        CmId served = fabric.keep(request.id());
        served.createQp(null, qp(QpType.UD));
        served.accept();
        CmEvent found = expect(CmEventType.ESTABLISHED, 0);
        assertEquals(AddressVector.toLid(served.verbs().queryPort(1).lid()), found.datagram().addressVector());
        assertEquals(served.qp().qpNum(), found.datagram().qpNum());
    }

    @Test
    void shouldReportAnAddressThatNoPortHas() {
        fabric.startManager();
        client(PortSpace.TCP, "10.9.0.77", 1000);
        CmEvent event = next();
        assertEquals(CmEventType.ADDR_ERROR + " " + -Errno.ETIMEDOUT.value(), event.type() + " " + event.status());
        assertTrue(event.detail().contains("no port answers for 10.9.0.77"), event.detail());
    }

    @Test
    void shouldSayThatASubnetManagerIsMissing() {
        client(PortSpace.TCP, "10.9.0.77", 200);
        CmEvent event = next();
        assertEquals(CmEventType.ADDR_ERROR + " " + -Errno.ETIMEDOUT.value(), event.type() + " " + event.status());
        assertTrue(event.detail().contains("is INIT: has a subnet manager run"), event.detail());
    }

    /** The manager has swept once and is gone: neighbours answer still, subnet administration does not. */
    @Test
    void shouldReportARouteErrorWithoutSubnetAdministration() {
        RunningFabric.Manager sm = fabric.startManager();
        listen(PortSpace.TCP, "10.9.0.1");
        CmId id = client(PortSpace.TCP, "10.9.0.1", 30_000);
        expect(CmEventType.ADDR_RESOLVED, 0);
        sm.close();
        id.resolveRoute(1000);
        CmEvent event = next();
        assertEquals(CmEventType.ROUTE_ERROR + " " + -Errno.ETIMEDOUT.value(), event.type() + " " + event.status());
    }

    /** The listening device answers for its address although no program of it connects. */
    @Test
    void shouldRefuseAtAPortWithoutListener() {
        fabric.startManager();
        CmId other = fabric.keep(manager.createId(events, null, PortSpace.TCP));
        other.bind(new InetSocketAddress("10.9.0.1", PORT + 1));
        CmId id = resolved(PortSpace.TCP, "10.9.0.1");
        id.createQp(null, qp(QpType.RC));
        id.connect(ConnectionParameters.DEFAULT);
        expect(CmEventType.REJECTED, 8);
    }
}
