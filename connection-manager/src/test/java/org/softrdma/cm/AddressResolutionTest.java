// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Binding, address resolution and ports. */
class AddressResolutionTest extends TwoHosts {
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

    /** As for the kernel: a program that names no address, such as one on libfabric, may come with the loopback address. */
    @Test
    void shouldTakeALoopbackAddressWithoutADeviceForAnyAddress() {
        bob.otherAddresses.add(TestHost.ip("127.0.0.1"));
        CmId everywhere = bob.manager.createId(bobs, null, PortSpace.TCP);
        everywhere.bind(at("127.0.0.1", PORT));
        assertNull(everywhere.verbs());
        assertEquals(at("0.0.0.0", PORT), everywhere.localAddress());
        everywhere.listen(0);

        TestHost.TestDevice here = bob.add("rxe1", 0x900, "127.0.0.1");
        CmId local = bob.manager.createId(bobs, null, PortSpace.TCP);
        local.bind(at("127.0.0.1", PORT + 1));
        assertSame(here.context(), local.verbs());
        assertEquals(at("127.0.0.1", PORT + 1), local.localAddress());
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
        CmEvent error = expect(alices, CmEventType.ADDR_ERROR, -Errno.ENETUNREACH.value());
        assertTrue(error.detail().startsWith("resolve_addr: Network is unreachable (ENETUNREACH): "), error.detail());
        error.ack();
        alice.otherAddresses.add(TestHost.ip("192.168.1.1"));
        alice.route("192.168.1.2", "192.168.1.1");
        id.resolveAddress(null, at("192.168.1.2", PORT), 2000);
        expect(alices, CmEventType.ADDR_ERROR, -Errno.ENODEV.value()).ack();
        // It is as good as new.
        id.resolveAddress(null, at(BOB, PORT), 2000);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
    }

    /** rdma_resolve_addr of the kernel (drivers/infiniband/core/cma.c): EINVAL at once; the identifier stays bound to the source. */
    @Test
    void shouldRefusePeersOfAnotherIpVersion() {
        alice.route("fd00::2", "fd00::1");
        CmId bound = alice.manager.createId(alices, null, PortSpace.TCP);
        refused(Errno.EINVAL, () -> bound.resolveAddress(at(ALICE, 0), at("fd00::2", PORT), 2000));
        assertEquals(TestHost.ip(ALICE), bound.localAddress().getAddress());
        bound.resolveAddress(null, at(BOB, PORT), 2000);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
        CmId everywhere = alice.manager.createId(alices, null, PortSpace.TCP);
        everywhere.bind(at("::", 0));
        refused(Errno.EINVAL, () -> everywhere.resolveAddress(null, at(BOB, PORT), 2000));
        assertNull(everywhere.peerAddress());
    }

    @Test
    void shouldTakeTheWildcardAddressOfAPeerForItself() {
        CmId id = bob.manager.createId(bobs, null, PortSpace.TCP);
        id.resolveAddress(at(BOB, 0), at("0.0.0.0", PORT), 2000);
        expect(bobs, CmEventType.ADDR_RESOLVED, 0).ack();
        assertEquals(at(BOB, PORT), id.peerAddress());
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
}
