// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Identifiers of two hosts on a transport in memory, on virtual time. Expected results are those of librdmacm's manual pages. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
abstract class TwoHosts {
    static final int PORT = 7174;
    static final int ALICES_QPN = 0x100;
    static final int BOBS_QPN = 0x200;
    static final String ALICE = "10.0.0.1";
    static final String BOB = "10.0.0.2";
    static final String BOBS_OTHER = "10.0.1.2";

    final MemoryNetwork network = new MemoryNetwork();
    final TestHost alice = new TestHost(network);
    final TestHost bob = new TestHost(network);
    TestHost.TestDevice alicesDevice;
    TestHost.TestDevice bobsDevice;
    EventChannel alices;
    EventChannel bobs;

    @BeforeEach
    void setUp() {
        alicesDevice = alice.add("rxe0", ALICES_QPN, ALICE);
        bobsDevice = bob.add("rxe0", BOBS_QPN, BOB, BOBS_OTHER);
        alice.route(BOB, ALICE);
        alice.route(BOBS_OTHER, ALICE);
        alices = alice.manager.createEventChannel();
        bobs = bob.manager.createEventChannel();
    }

    static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(TestHost.ip(address), port);
    }

    static QpInitAttributes rc() {
        return new QpInitAttributes(QpType.RC, null, null, null, new QpCapabilities(4, 4, 1, 1, 0), false);
    }

    static QpInitAttributes ud() {
        return new QpInitAttributes(QpType.UD, null, null, null, new QpCapabilities(4, 4, 1, 1, 0), false);
    }

    CmEvent expect(EventChannel channel, CmEventType type, int status) {
        network.run(10 * MemoryNetwork.LATENCY_NS);
        CmEvent event = channel.getEvent(0);
        assertNotNull(event, type + " is missing");
        assertEquals(type + " " + status, event.type() + " " + event.status());
        return event;
    }

    void expectNothing(EventChannel channel) {
        network.run(10 * MemoryNetwork.LATENCY_NS);
        assertNull(channel.getEvent(0));
    }

    static VerbsException refused(Errno errno, Runnable call) {
        VerbsException thrown = assertThrows(VerbsException.class, call::run);
        assertEquals(errno, thrown.errno(), thrown.getMessage());
        return thrown;
    }

    SoftCmId resolved(EventChannel channel, String destination, int port, PortSpace space) {
        SoftCmId id = alice.manager.createId(channel, null, space, space.usualType());
        id.resolveAddress(null, at(destination, port), 2000);
        expect(channel, CmEventType.ADDR_RESOLVED, 0).ack();
        id.resolveRoute(2000);
        expect(channel, CmEventType.ROUTE_RESOLVED, 0).ack();
        return id;
    }

    SoftCmId listening(String address, int port, int backlog) {
        SoftCmId id = bob.manager.createId(bobs, "listener", PortSpace.TCP, QpType.RC);
        id.bind(at(address, port));
        id.listen(backlog);
        return id;
    }

    CmId requested() {
        CmEvent request = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        request.ack();
        return request.id();
    }

    /** Two ends with queue pairs, established. */
    record Pair(SoftCmId active, CmId passive) {
    }

    Pair connected() {
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
}
