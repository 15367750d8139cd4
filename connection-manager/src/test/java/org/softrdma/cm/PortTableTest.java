// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.PortSpace;

/** Rules for binding addresses: those of bind(2), which rdma_bind_addr(3) follows. */
class PortTableTest {
    private static final int COUNT = PortTable.LAST_EPHEMERAL - PortTable.FIRST_EPHEMERAL + 1;

    private final PortTable table = new PortTable();
    private final TestHost host = new TestHost(new MemoryNetwork());

    private PortTable.Binding bind(String address, int port, boolean reuse, boolean familyOnly) {
        return table.bind(PortSpace.TCP, new InetSocketAddress(TestHost.ip(address), port), reuse, familyOnly, host);
    }

    private PortTable.Binding bind(String address, int port) {
        return bind(address, port, false, false);
    }

    private void assertTaken(Runnable call) {
        assertEquals(Errno.EADDRINUSE, assertThrows(VerbsException.class, call::run).errno());
    }

    @Test
    void shouldGiveAnAddressAndPortOnce() {
        PortTable.Binding first = bind("10.0.0.1", 7);
        assertTaken(() -> bind("10.0.0.1", 7));
        bind("10.0.0.2", 7);
        bind("10.0.0.1", 8);
        table.bind(PortSpace.UDP, new InetSocketAddress(TestHost.ip("10.0.0.1"), 7), false, false, host);
        table.release(first);
        bind("10.0.0.1", 7);
    }

    @Test
    void shouldTakeTheWildcardForAllAddresses() {
        bind("0.0.0.0", 7);
        assertTaken(() -> bind("10.0.0.1", 7));
        assertTaken(() -> bind("0.0.0.0", 7));
        bind("10.0.0.1", 8);
        assertTaken(() -> bind("0.0.0.0", 8));
    }

    @Test
    void shouldTakeTheIpv6WildcardForIpv4UnlessToldOtherwise() {
        bind("::", 7);
        assertTaken(() -> bind("0.0.0.0", 7));
        assertTaken(() -> bind("10.0.0.1", 7));
        bind("::", 8, false, true);
        bind("0.0.0.0", 8);
        bind("fd00::1", 9);
        bind("10.0.0.1", 9);
        bind("0.0.0.0", 10);
        assertTaken(() -> bind("::", 10));
        bind("::", 10, false, true);
    }

    @Test
    void shouldShareAPortIfAllWantToAndNoneListens() {
        PortTable.Binding first = bind("10.0.0.1", 7, true, false);
        PortTable.Binding second = bind("10.0.0.1", 7, true, false);
        assertTaken(() -> bind("10.0.0.1", 7, false, false));
        assertTaken(() -> table.listen(first));
        table.release(second);
        table.listen(first);
        assertTaken(() -> bind("10.0.0.1", 7, true, false));
    }

    @Test
    void shouldFindFreePortsUntilThereAreNone() {
        host.random = COUNT - 1;
        PortTable.Binding last = bind("0.0.0.0", 0);
        assertEquals(PortTable.LAST_EPHEMERAL, last.port());
        for (int i = 1; i < COUNT; i++) {
            PortTable.Binding next = bind("0.0.0.0", 0);
            assertTrue(next.port() >= PortTable.FIRST_EPHEMERAL && next.port() < PortTable.LAST_EPHEMERAL);
        }
        assertEquals(Errno.EADDRNOTAVAIL, assertThrows(VerbsException.class, () -> bind("0.0.0.0", 0)).errno());
        table.release(last);
        assertEquals(last.port(), bind("0.0.0.0", 0).port());
    }

    @Test
    void shouldPassOverPortsThatTheHostHasGivenAway() {
        host.random = 0;
        host.portsOfOthers.add(PortTable.FIRST_EPHEMERAL);
        host.portsOfOthers.add(PortTable.FIRST_EPHEMERAL + 1);

        assertEquals(PortTable.FIRST_EPHEMERAL + 2, bind("10.0.0.1", 0).port());

        // An explicit port is always granted: on RoCE other processes cannot use it.
        assertEquals(PortTable.FIRST_EPHEMERAL, bind("10.0.0.1", PortTable.FIRST_EPHEMERAL).port());
    }
}
