// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Listening: backlog, addresses and devices of a listener. */
class ListeningTest extends TwoHosts {
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

    /** Closing must not fail because of an address that belongs to another listener. */
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
    void shouldListenOnTheDevicesWhosePortIsFree() {
        bob.add("siw0", 0x300, "10.0.2.2");
        network.taken.add(TestHost.ip("10.0.2.2"));
        SoftCmId listener = listening("0.0.0.0", PORT, 5);
        resolved(alices, BOB, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        CmEvent event = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertSame(listener, event.listenId());
        event.ack();
    }

    @Test
    void shouldNotListenWhereNoDeviceHasThePortFree() {
        bob.add("siw0", 0x300, "10.0.2.2");
        network.taken.add(TestHost.ip("10.0.2.2"));
        CmId there = bob.manager.createId(bobs, null, PortSpace.TCP);
        there.bind(at("10.0.2.2", PORT));
        refused(Errno.EADDRINUSE, () -> there.listen(5));
        network.taken.add(TestHost.ip(BOB));
        CmId everywhere = bob.manager.createId(bobs, null, PortSpace.TCP);
        everywhere.bind(at("0.0.0.0", PORT + 1));
        refused(Errno.EADDRINUSE, () -> everywhere.listen(5));
        network.taken.clear();
        everywhere.listen(5);
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
}
